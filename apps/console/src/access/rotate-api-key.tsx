import { Button, Modal, NativeSelect } from '@mantine/core'
import type { ApiKey } from '@smsgw/contract/access/api-key'
import { useState } from 'react'
import { useRotateApiKey } from '../api/api-keys.ts'
import { ShownOnce } from '../ui/dialogs/create-dialog.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { t } from '../words/text.ts'
import { ShownKey } from './shown-key.tsx'

const overlaps = () => [
  { value: '0', label: t('keys.overlapNone') },
  { value: '3600', label: t('tokens.hours', { count: 1 }) },
  ...[1, 7, 30].map((days) => ({ value: String(days * 86_400), label: t('keys.days', { count: days }) })),
]

/** Asks how long the previous key remains valid, then shows the new key once. */
export function RotateApiKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const rotate = useRotateApiKey()
  const [overlap, setOverlap] = useState('86400')
  const { id, name } = apiKey
  const isAsking = rotate.data === undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={isAsking ? t('keys.rotateTitle', { name }) : t('keys.new', { name })}
      closeOnClickOutside={isAsking}
      closeOnEscape={isAsking}
    >
      {rotate.data === undefined ? (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            rotate.mutate({ id, overlapSeconds: Number(overlap) })
          }}
        >
          <p>{t('keys.rotateHelp')}</p>
          <NativeSelect
            label={t('keys.overlap')}
            data={overlaps()}
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value)}
          />
          <ProblemNote error={rotate.error} />
          <div className="page-actions">
            <Button type="submit" loading={rotate.isPending}>
              {t('keys.rotateAction')}
            </Button>
            <Button variant="default" disabled={rotate.isPending} onClick={onClose}>
              {t('common.cancel')}
            </Button>
          </div>
        </form>
      ) : (
        <ShownOnce onDone={onClose}>
          <ShownKey value={rotate.data.key} />
        </ShownOnce>
      )}
    </Modal>
  )
}
