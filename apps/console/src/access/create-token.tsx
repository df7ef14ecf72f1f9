import { Button, NativeSelect } from '@mantine/core'
import type { Scope } from '@smsgw/contract/access/scopes'
import type { TokenResponse } from '@smsgw/contract/access/token'
import { useState } from 'react'
import { useCreateToken } from '../api/tokens.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { CreateDialog } from '../ui/dialogs/create-dialog.tsx'
import { NoteBox, ProblemNote } from '../ui/problem-note.tsx'
import { momentWords } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import { requestedScopes, ScopeChoices } from './scope-choices.tsx'

const lifetimes = () => [
  { value: '3600', label: t('tokens.hours', { count: 1 }) },
  { value: '43200', label: t('tokens.hours', { count: 12 }) },
  { value: '86400', label: t('tokens.hours', { count: 24 }) },
  { value: '0', label: t('tokens.longest') },
]

/** Asks for scopes and lifetime, then shows the token once. */
export function CreateToken({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <CreateDialog<TokenResponse>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) => (made === undefined ? t('tokens.create') : t('tokens.created'))}
      form={(onMade) => <TokenForm onMade={onMade} />}
      result={(token) => <MadeToken token={token} />}
    />
  )
}

function TokenForm({ onMade }: { readonly onMade: (token: TokenResponse) => void }) {
  const create = useCreateToken()
  const [chosen, setChosen] = useState<readonly Scope[]>(['messages:send'])
  const [lifetime, setLifetime] = useState('3600')
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate({ ttl: Number(lifetime), scopes: requestedScopes(chosen) }, { onSuccess: onMade })
      }}
    >
      <NativeSelect
        label={t('tokens.lifetime')}
        description={t('tokens.lifetimeHelp')}
        data={lifetimes()}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
      />
      <ScopeChoices chosen={chosen} onChange={setChosen} />
      <ProblemNote error={create.error} />
      <div className="page-actions">
        <Button type="submit" disabled={chosen.length === 0} loading={create.isPending}>
          {t('common.create')}
        </Button>
      </div>
    </form>
  )
}

function MadeToken({ token }: { readonly token: TokenResponse }) {
  return (
    <>
      <NoteBox tone="warn">{t('tokens.shownOnce')}</NoteBox>
      <p>{t('tokens.accessUntil', { when: momentWords(token.expires_at) })}</p>
      <CopyField name={t('tokens.access')} value={token.access_token} />
      <p>{t('tokens.refreshUse')}</p>
      <CopyField name={t('tokens.refresh')} value={token.refresh_token} />
    </>
  )
}
