import { Button } from '@mantine/core'
import { CopyField } from '../ui/copy-field.tsx'
import { Note } from '../ui/problem-note.tsx'

/** The only time that it is seen. */
export function ShownSecret({ secret, onDone }: { readonly secret: string | undefined; readonly onDone: () => void }) {
  return (
    <div className="fields">
      {secret === undefined ? (
        <p>It replaces one that was there, and keeps its secret and its history.</p>
      ) : (
        <>
          <Note tone="warn">This secret is shown once. Keep it where your program can read it.</Note>
          <CopyField name="secret" value={secret} />
          <p className="small quiet">
            Each request is signed with it: check <code>X-Signature</code>, or <code>webhook-signature</code> as
            Standard Webhooks has it, before you trust what a request says.
          </p>
        </>
      )}
      <div className="page-actions">
        <Button onClick={onDone} data-autofocus>
          I have it
        </Button>
      </div>
    </div>
  )
}
