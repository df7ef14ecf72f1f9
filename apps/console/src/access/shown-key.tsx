import { Button } from '@mantine/core'
import { CopyField } from '../ui/copy-field.tsx'
import { NoteBox } from '../ui/problem-note.tsx'
import { rich, t } from '../words/text.ts'

/** Shows a new key. The API returns it only once. */
export function ShownKey({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    // Scrolls to the top, because the form that was shown before the key may have been scrolled.
    <div className="fields made-token" ref={(element) => element?.scrollIntoView({ block: 'start' })}>
      <NoteBox tone="warn">{t('keys.shownOnce')}</NoteBox>
      <CopyField name={t('keys.key')} value={value} />
      <p className="small quiet">{rich('keys.use')}</p>
      <div className="page-actions">
        <Button onClick={onDone} data-autofocus>
          {t('common.done')}
        </Button>
      </div>
    </div>
  )
}
