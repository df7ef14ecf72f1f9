import type { Clock } from '../clock.ts'
import type { CoreDeps } from '../core-deps.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

interface EnrolmentDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly box: Pick<SecretBox, 'fingerprint'>
}

/**
 * Makes the configured token the enrolment token of the account and revokes the account's other enrolment tokens. A
 * revoked token stays revoked, even when a relay starts with it again.
 */
export async function ensureEnrolmentToken(
  { database, box, clock }: EnrolmentDeps,
  { token, accountId }: { readonly token: string; readonly accountId: string },
): Promise<void> {
  const tokenHash = box.fingerprint(token, ENROLMENT_TOKEN)
  await database.$transaction(async (statements) => {
    await statements.enrolmentToken.createMany({
      data: { tokenHash, accountId, createdAt: clock.now() },
      skipDuplicates: true,
    })
    await revoke(statements, clock, { accountId, tokenHash: { not: tokenHash } })
  })
}

/** Returns the account that an agent with this token joins, or undefined when the token is unknown or revoked. */
export async function redeemEnrolmentToken(
  statements: Statements,
  box: Pick<SecretBox, 'fingerprint'>,
  token: string,
): Promise<string | undefined> {
  const known = await statements.enrolmentToken.findUnique({
    where: { tokenHash: box.fingerprint(token, ENROLMENT_TOKEN) },
  })
  return known && known.revokedAt === null ? known.accountId : undefined
}

/** Revokes all enrolment tokens of an account. Agents that have joined stay paired. */
export function revokeEnrolmentTokens(database: Database, clock: Clock, accountId: string): Promise<number> {
  return revoke(database, clock, { accountId })
}

/** Purpose of the keyed hash of a stored token. */
export const ENROLMENT_TOKEN = 'enrolment-token'

async function revoke(
  statements: Statements,
  clock: Clock,
  which: { readonly accountId: string; readonly tokenHash?: { readonly not: string } },
): Promise<number> {
  const { count } = await statements.enrolmentToken.updateMany({
    where: { ...which, revokedAt: null },
    data: { revokedAt: clock.now() },
  })
  return count
}
