import { Button, Checkbox, Modal, NativeSelect } from '@mantine/core'
import type { Scope } from '@smsgw/contract/scopes'
import type { TokenResponse } from '@smsgw/contract/token'
import { useState } from 'react'
import { useCreateToken } from '../api/tokens.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Note, ProblemNote } from '../ui/problem-note.tsx'
import { momentWords } from '../ui/relative-words.ts'
import { scopeWords } from './scope-words.ts'

const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: '43200', label: '12 hours' },
  { value: '86400', label: '1 day' },
  { value: '0', label: 'As long as the relay allows' },
]

/** Asks what it may do and for how long; then shows it, once. */
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
      title={made === undefined ? 'Create a token' : 'Your token'}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
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
        label="Lifetime"
        description="The refresh token that comes with it makes new ones for longer."
        data={lifetimes}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
      />
      <fieldset className="scope-choices">
        <legend>It may</legend>
        {Object.entries(scopeWords).map(([scope, words]) => (
          <Checkbox
            key={scope}
            label={words}
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
          Create
        </Button>
      </div>
    </form>
  )
}

function MadeToken({ token, onDone }: { readonly token: TokenResponse; readonly onDone: () => void }) {
  return (
    // The form before it was long, and may have been scrolled.
    <div className="fields made-token" ref={(element) => element?.scrollIntoView({ block: 'start' })}>
      <Note tone="warn">Both are shown once, and stored nowhere that could show them again.</Note>
      <p>Access token, until {momentWords(token.expires_at)}</p>
      <CopyField name="access token" value={token.access_token} />
      <p>Refresh token: exchanges it for a new pair, once</p>
      <CopyField name="refresh token" value={token.refresh_token} />
      <div className="page-actions">
        <Button onClick={onDone}>I have them</Button>
      </div>
    </div>
  )
}
