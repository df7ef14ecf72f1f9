import type { Clock } from '../clock.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

interface EnrolmentNeeds {
  readonly database: Database
  readonly box: Pick<SecretBox, 'fingerprint'>
  readonly clock: Clock
}

/**
 * Makes the token of the configuration the one by which agents join this account unattended: another one of the account
 * ends with it. One that was revoked stays so, however often the relay starts with it.
 */
export async function ensureEnrolmentToken(
  { database, box, clock }: EnrolmentNeeds,
  { token, accountId }: { readonly token: string; readonly accountId: string },
): Promise<void> {
  const tokenHash = box.fingerprint(token, PURPOSE)
  await database.$transaction(async (statements) => {
    await statements.enrolmentToken.createMany({
      data: { tokenHash, accountId, createdAt: clock.now() },
      skipDuplicates: true,
    })
    await revoke(statements, clock, { accountId, tokenHash: { not: tokenHash } })
  })
}

/** The account that an agent with this token joins; undefined for an unknown or a revoked one. */
export async function redeemEnrolmentToken(
  statements: Statements,
  box: Pick<SecretBox, 'fingerprint'>,
  token: string,
): Promise<string | undefined> {
  const known = await statements.enrolmentToken.findUnique({ where: { tokenHash: box.fingerprint(token, PURPOSE) } })
  return known && known.revokedAt === null ? known.accountId : undefined
}

/** No further agent joins this account unattended. Those that have joined stay. */
export function revokeEnrolmentTokens(database: Database, clock: Clock, accountId: string): Promise<number> {
  return revoke(database, clock, { accountId })
}

const PURPOSE = 'enrolment-token'

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
