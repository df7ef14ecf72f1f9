import { Button, Checkbox, Modal, NativeSelect } from '@mantine/core'
import { type Scope, scopes } from '@smsgw/contract/scopes'
import type { TokenResponse } from '@smsgw/contract/token'
import { useState } from 'react'
import { useCreateToken } from '../api/tokens.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Note, ProblemNote } from '../ui/problem-note.tsx'
import { momentWords } from '../ui/relative-words.ts'
import { t } from '../words/text.ts'

const lifetimes = () => [
  { value: '3600', label: t('tokens.hours', { count: 1 }) },
  { value: '43200', label: t('tokens.hours', { count: 12 }) },
  { value: '86400', label: t('tokens.hours', { count: 24 }) },
  { value: '0', label: t('tokens.longest') },
]

/** Asks for scopes and lifetime, then shows the token once. */
export function CreateToken({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [made, setMade] = useState<TokenResponse>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={made === undefined ? t('tokens.create') : t('tokens.created')}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {made === undefined ? <TokenForm onMade={setMade} /> : <MadeToken token={made} onDone={close} />}
    </Modal>
  )
}

function TokenForm({ onMade }: { readonly onMade: (token: TokenResponse) => void }) {
  const create = useCreateToken()
  const [chosen, setChosen] = useState<readonly string[]>(['messages:send'])
  const [lifetime, setLifetime] = useState('3600')
  const isAll = chosen.includes('all:any')
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        const scopes = (isAll ? ['all:any'] : chosen) as readonly Scope[]
        create.mutate({ ttl: Number(lifetime), scopes }, { onSuccess: onMade })
      }}
    >
      <NativeSelect
        label={t('tokens.lifetime')}
        description={t('tokens.lifetimeHelp')}
        data={lifetimes()}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
      />
      <fieldset className="scope-choices">
        <legend>{t('tokens.scopes')}</legend>
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={t(`scope.${scope}`)}
            description={scope}
            checked={scope === 'all:any' ? isAll : isAll || chosen.includes(scope)}
            disabled={isAll && scope !== 'all:any'}
            onChange={(event) =>
              setChosen(event.currentTarget.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
            }
          />
        ))}
      </fieldset>
      <ProblemNote error={create.error} />
      <div className="page-actions">
        <Button type="submit" disabled={chosen.length === 0} loading={create.isPending}>
          {t('common.create')}
        </Button>
      </div>
    </form>
  )
}

function MadeToken({ token, onDone }: { readonly token: TokenResponse; readonly onDone: () => void }) {
  return (
    // The form before it may have been scrolled.
    <div className="fields made-token" ref={(element) => element?.scrollIntoView({ block: 'start' })}>
      <Note tone="warn">{t('tokens.shownOnce')}</Note>
      <p>{t('tokens.accessUntil', { when: momentWords(token.expires_at) })}</p>
      <CopyField name={t('tokens.access')} value={token.access_token} />
      <p>{t('tokens.refreshUse')}</p>
      <CopyField name={t('tokens.refresh')} value={token.refresh_token} />
      <div className="page-actions">
        <Button onClick={onDone}>{t('common.done')}</Button>
      </div>
    </div>
  )
}
