import { z } from 'zod'
import type { Principal, PrincipalKey } from '../../http/endpoint.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { unauthorised } from '../unauthorised.ts'

/** The caller that changes keys. */
export type KeyCaller = Pick<Principal, 'accountId' | 'credentialVersion' | 'key'>

/**
 * Locks the account against other changes of its keys, tokens and password until the end of the transaction. Throws 401
 * if the caller lost access after authentication, because the password was changed or the key was revoked or rotated.
 */
export async function lockAccountForKeys(statements: Statements, caller: KeyCaller): Promise<void> {
  const { accountId, credentialVersion = null, key } = caller
  const [account] = await readRows(
    statements,
    accountRow,
    Prisma.sql`
    SELECT id FROM accounts WHERE id = ${accountId}
       AND (${credentialVersion}::int IS NULL OR credential_version = ${credentialVersion}::int) FOR NO KEY UPDATE`,
  )
  if (account === undefined || (key !== undefined && !(await isValid(statements, accountId, key))))
    throw unauthorised('password or token', 'These credentials were revoked during the request')
}

async function isValid(statements: Statements, accountId: string, { id, secretHash }: PrincipalKey): Promise<boolean> {
  const ofSecret = secretHash !== undefined && { OR: [{ secretHash }, { previousSecretHash: secretHash }] }
  return (await statements.apiKey.count({ where: { id, accountId, revokedAt: null, ...ofSecret } })) > 0
}

const accountRow = z.object({ id: z.string() })
