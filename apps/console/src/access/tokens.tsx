import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { IssuedToken } from '@smsgw/contract/access/token'
import { useState } from 'react'
import { useRevokeToken, useTokens } from '../api/tokens.ts'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { destructive } from '../ui/dialogs/destructive.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { CreateToken } from './create-token.tsx'
import './tokens.css'

export function Tokens() {
  const tokens = useTokens()
  const [isCreating, create] = useDisclosure(false)
  const [revoked, setRevoked] = useState<IssuedToken>()
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={create.open}>
      {t('tokens.create')}
    </Button>
  )
  const isEmpty = tokens.data?.length === 0
  return (
    <Panel title={t('tokens.title')} about={t('tokens.about')} actions={isEmpty ? undefined : add}>
      <ProblemNote error={tokens.error} retry={() => void tokens.refetch()} />
      {tokens.isPending && <WaitingLines />}
      {isEmpty && (
        <EmptyState icon="access" title={t('tokens.none')} action={add}>
          {t('tokens.noneHelp')}
        </EmptyState>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <table className="list-table">
          <thead>
            <tr>
              <th>{t('tokens.scopes')}</th>
              <th>{t('tokens.createdAt')}</th>
              <th>{t('tokens.expiresAt')}</th>
              <th>{t('tokens.refreshExpiresAt')}</th>
              <th>
                <span className="unseen">{t('common.actions')}</span>
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
                <td data-name={t('tokens.createdAt')}>
                  <RelativeTime at={token.createdAt} />
                </td>
                <td data-name={t('tokens.expiresAt')}>
                  <RelativeTime at={token.expiresAt} />
                </td>
                <td data-name={t('tokens.refreshExpiresAt')}>
                  <RelativeTime at={token.refreshExpiresAt} />
                </td>
                <td className="token-actions">
                  {token.revokedAt === undefined ? (
                    <Button size="xs" {...destructive} onClick={() => setRevoked(token)}>
                      {t('tokens.revoke')}
                    </Button>
                  ) : (
                    <span className="quiet">{t('tokens.revoked')}</span>
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
      title={t('tokens.revokeTitle')}
      action={t('tokens.revokeAction')}
      isOpen={token !== undefined}
      deed={revoke}
      onYes={() => token && revoke.mutate(token.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      {token && (
        <p>
          <Dotted>
            <code>{token.scopes.join(' ')}</code>
            <span className="mono">{token.id}</span>
            {rich('tokens.revokeWhich', { when: <RelativeTime at={token.createdAt} /> })}
          </Dotted>
        </p>
      )}
      <p>{t('tokens.revokeHelp')}</p>
    </AskFirst>
  )
}
