import { z } from 'zod'
import { isOfValidSecret, isUnrevoked } from '../auth/tokens/read-token-standings-statement.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const subscriptionRow = z.object({
  id: z.string(),
  accountId: z.string(),
  endpointSealed: z.string(),
  p256dh: z.string(),
  authSealed: z.string(),
  language: z.string(),
})

/** A subscription with all data that sending a notification needs. */
export type ValidSubscription = Readonly<z.output<typeof subscriptionRow>>

/** Returns the given subscriptions whose session, token, API key or password is still valid. Takes no locks. */
export function readValidSubscriptions(statements: Statements, ids: readonly string[]): Promise<ValidSubscription[]> {
  return readRows(
    statements,
    subscriptionRow,
    Prisma.sql`
    SELECT p.id, p.account_id AS "accountId", p.endpoint_sealed AS "endpointSealed", p.p256dh,
      p.auth_sealed AS "authSealed", p.language
    FROM push_subscriptions p WHERE p.id = ANY (${[...ids]}::text[]) AND ${isValid}`,
  )
}

/** Deletes subscriptions whose session, token, API key or password is no longer valid. Locks only the deleted rows. */
export function deleteEndedSubscriptions(statements: Statements): Promise<number> {
  return statements.$executeRaw`DELETE FROM push_subscriptions p WHERE NOT (${isValid})`
}

/** True while the credentials that created the subscription `p` are valid. */
const isValid = Prisma.sql`(p.credential_version IS NULL OR EXISTS (
      SELECT FROM accounts a WHERE a.id = p.account_id AND a.credential_version = p.credential_version))
    AND (p.session_hash IS NULL OR EXISTS (
      SELECT FROM sessions s WHERE s.token_hash = p.session_hash AND s.expires_at > now()))
    AND (p.family_id IS NULL OR EXISTS (
      SELECT FROM token_families f WHERE f.id = p.family_id AND f.expires_at > now() AND ${isUnrevoked}
        AND ${isOfValidSecret('f')}))
    AND (p.key_id IS NULL OR EXISTS (
      SELECT FROM api_keys k WHERE k.id = p.key_id AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())))
    AND ${isOfValidSecret('p')}`
