import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { IssuedToken } from '@smsgw/contract/token'
import { useState } from 'react'

import { useRevokeToken, useTokens } from '../api/tokens.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { CreateToken } from './create-token.tsx'
import './tokens.css'

export function Tokens() {
  const tokens = useTokens()
  const [isCreating, create] = useDisclosure(false)
  const [revoked, setRevoked] = useState<IssuedToken>()
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={create.open}>
      Create a token
    </Button>
  )
  const isEmpty = tokens.data?.length === 0
  return (
    <Panel
      title="Tokens"
      about="A program shows one instead of your password. It may do what its scopes allow, until it expires or is revoked."
      actions={isEmpty ? undefined : add}
    >
      <ProblemNote error={tokens.error} retry={() => void tokens.refetch()} />
      {tokens.isPending && <WaitingLines />}
      {isEmpty && (
        <EmptyState icon="access" title="No token is valid" action={add}>
          Give each program a token of its own, with no more than it needs: then one can be revoked and the others go
          on.
        </EmptyState>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <table className="list-table">
          <thead>
            <tr>
              <th>May</th>
              <th>Created</th>
              <th>Expires</th>
              <th>
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.data.map((token) => (
              <tr key={token.id}>
                <td>
                  <span className="token-scopes">
                    {token.scopes.map((scope) => (
                      <code key={scope}>{scope}</code>
                    ))}
                  </span>
                  <span className="small quiet mono">{token.id}</span>
                </td>
                <td data-name="Created">
                  <RelativeTime at={token.createdAt} />
                </td>
                <td data-name="Expires">
                  <RelativeTime at={token.expiresAt} />
                </td>
                <td className="token-actions">
                  {token.revokedAt === undefined ? (
                    <Button size="xs" variant="default" onClick={() => setRevoked(token)}>
                      Revoke
                    </Button>
                  ) : (
                    <span className="quiet">revoked</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <CreateToken isOpen={isCreating} onClose={create.close} />
      <Revoke token={revoked} onClose={() => setRevoked(undefined)} />
    </Panel>
  )
}

function Revoke({ token, onClose }: { readonly token: IssuedToken | undefined; readonly onClose: () => void }) {
  const revoke = useRevokeToken()
  return (
    <AskFirst
      title="Revoke this token?"
      action="Revoke it"
      isOpen={token !== undefined}
      deed={revoke}
      onYes={() => token && revoke.mutate(token.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      {token && (
        <p>
          <code>{token.scopes.join(' ')}</code>, created <RelativeTime at={token.createdAt} />.
        </p>
      )}
      <p>Whoever shows it is refused from now on, and so is what was refreshed from it.</p>
    </AskFirst>
  )
}
