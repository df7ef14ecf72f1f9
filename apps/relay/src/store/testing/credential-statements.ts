import { deleteEndedKeys } from '../../auth/keys/delete-ended-keys-statement.ts'
import { lockAccountForKeys } from '../../auth/keys/lock-account-for-keys-statement.ts'
import { readKeyStandings } from '../../auth/keys/read-key-standings-statement.ts'
import { deleteEndedSessions } from '../../auth/sessions/delete-ended-sessions-statement.ts'
import { readSessionStandings } from '../../auth/sessions/read-session-standings-statement.ts'
import { lockReplies } from '../../messages/accept/count-replies-statement.ts'
import { addUsage, lockUsage } from '../../messages/accept/key-usage-statement.ts'
import { testMessage } from '../../messages/testing/new-message.ts'
import type { Statements } from '../database.ts'

/** Runs every statement about API keys and sessions at least once, against a database with the account `account`. */
export const credentialStatements = (
  now: Date,
): Readonly<Record<string, (statements: Statements) => Promise<unknown>>> => ({
  'auth/keys/delete-ended-keys-statement.ts': (s) => deleteEndedKeys(s as never, now),
  'auth/keys/lock-account-for-keys-statement.ts': (s) => lockAccountForKeys(s, { accountId: 'account' }),
  'auth/keys/read-key-standings-statement.ts': (s) => readKeyStandings(s, ['key']),
  'messages/accept/count-replies-statement.ts': (s) => lockReplies(s, [testMessage('m')]),
  'messages/accept/key-usage-statement.ts': async (s) => {
    await s.apiKey.create({
      data: { id: 'key', accountId: 'account', name: '', secretHash: '', createdAt: now, scopes: [] },
    })
    const message = { ...testMessage('m'), sentBy: { kind: 'key', keyId: 'key' } as const }
    const used = await lockUsage(s, [message])
    await addUsage(s, used, new Map([...used.keys()].map((row) => [row, 1])))
  },
  'auth/sessions/delete-ended-sessions-statement.ts': (s) =>
    deleteEndedSessions({ database: s, clock: { now: () => now } }),
  'auth/sessions/read-session-standings-statement.ts': async (s) => {
    const session = { tokenHash: 'hash', accountId: 'account', credentialVersion: 1, createdAt: now, expiresAt: now }
    await s.session.create({ data: session })
    await readSessionStandings(s, ['hash'])
  },
})
