import { CopyField } from '../ui/copy-field.tsx'
import { NoteBox } from '../ui/problem-note.tsx'
import { rich, t } from '../words/text.ts'

/** Shows a new key. The API returns it only once. */
export function ShownKey({ value }: { readonly value: string }) {
  return (
    <>
      <NoteBox tone="warn">{t('keys.shownOnce')}</NoteBox>
      <CopyField name={t('keys.key')} value={value} />
      <p className="small quiet">{rich('keys.use')}</p>
    </>
  )
}
