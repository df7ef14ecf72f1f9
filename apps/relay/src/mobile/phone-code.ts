import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { randomCode } from '../random.ts'
import { lockSettings } from '../settings/lock-settings-statement.ts'
import type { Database, Statements } from '../store/database.ts'

type PhoneCodeDeps = CoreDeps

const LIFETIME_MS = 60_000
/** The largest number of codes per account. A further code replaces the oldest code. */
const MOST_CODES = 5
/** Digits and lower-case letters, without the characters 0, 1, i, l and o, which look alike. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const LENGTH = 6
/**
 * The prefix that marks codes of phones in the table of pairing codes. The key of such a row is the keyed hash of the
 * whole code.
 */
const PREFIX = 'phone:'
/** Purpose of the keyed hash of a stored code. */
export const PHONE_CODE = 'phone-code'

/**
 * Creates a one-time code with which a phone registers. The code is valid for a minute, and short, because a person
 * types it.
 */
export function createPhoneCode(deps: PhoneCodeDeps): Endpoint {
  const { database, clock, random, box, logbook } = deps
  return endpoint({
    answers: { 200: z.strictObject({ code: z.string(), validUntil: z.string() }) },
    async handle({ principal: { accountId } }) {
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + LIFETIME_MS)
      await deleteOldCodes(database, accountId, now)
      const code = randomCode(random, ALPHABET, LENGTH)
      const secretHash = box.fingerprint(code, PHONE_CODE)
      const row = { prefix: PREFIX + secretHash, secretHash, accountId, expiresAt, createdAt: now }
      // Does not check for an equal code of another account, because the chance at any moment is one in a hundred
      // million.
      await database.pairingCode.create({ data: row })
      logbook.write({ accountId, module: 'devices', priority: 'INFO', message: 'one-time code for a phone created' })
      return { status: 200, body: { code, validUntil: expiresAt.toISOString() } }
    },
  })
}

/**
 * Returns the account of a code and ends the code, or returns undefined if the code is unknown, used or expired. The
 * caller limits the attempts per address and in total, so that a code cannot be guessed within its minute.
 *
 * Locks the account before the code, in the same order as a password change, so that the two cannot deadlock.
 */
export async function redeemPhoneCode(
  { box, clock }: Pick<PhoneCodeDeps, 'box' | 'clock'>,
  statements: Statements,
  typed: string,
): Promise<string | undefined> {
  const prefix = PREFIX + box.fingerprint(typed.toLowerCase(), PHONE_CODE)
  const row = await statements.pairingCode.findUnique({ where: { prefix }, select: { accountId: true } })
  if (row === null) return undefined
  await lockSettings(statements, row.accountId)
  // Only one of two concurrent registrations deletes the row.
  const { count } = await statements.pairingCode.deleteMany({ where: { prefix, expiresAt: { gt: clock.now() } } })
  return count === 1 ? row.accountId : undefined
}

async function deleteOldCodes(database: Database, accountId: string, now: Date): Promise<void> {
  const codes = await database.pairingCode.findMany({
    where: { accountId, prefix: { startsWith: PREFIX } },
    orderBy: { createdAt: 'desc' },
    select: { prefix: true, expiresAt: true },
  })
  const old = codes.filter(({ expiresAt }, index) => index >= MOST_CODES - 1 || expiresAt <= now)
  await database.pairingCode.deleteMany({ where: { accountId, prefix: { in: old.map(({ prefix }) => prefix) } } })
}
