import { pairingCode } from '@smsgw/contract/devices/device'
import { unauthorised } from '../../auth/unauthorised.ts'
import type { CoreDeps } from '../../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { newPairingCode, PAIRING_CODE, prefixOf } from './pairing-code.ts'

export type CreatePairingCodeDeps = CoreDeps

const LIFETIME_MS = 600_000
/** The largest number of codes per account. If there are more, a new code replaces the oldest code. */
const MOST_CODES = 20
const MOST_COLLISIONS = 10

export function createPairingCode(deps: CreatePairingCodeDeps): Endpoint {
  return endpoint({
    answers: { 201: pairingCode },
    async handle({ principal }) {
      const { accountId } = principal
      const familyId = principal.tokenId === undefined ? null : await familyOf(deps, principal)
      // A code expires with the token or key that created it.
      const endsMs = principal.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
      const expiresAt = new Date(Math.min(deps.clock.now().getTime() + LIFETIME_MS, endsMs))
      await forgetOldCodes(deps, accountId)
      const code = await storeNewCode(deps, { accountId, familyId, keyId: principal.key?.id ?? null, expiresAt })
      deps.logbook.write({ accountId, module: 'devices', priority: 'INFO', message: 'pairing code created' })
      return { status: 201, body: { code, expiresAt: expiresAt.toISOString() } }
    },
  })
}

async function familyOf({ database }: CreatePairingCodeDeps, { accountId, tokenId = '' }: Principal): Promise<string> {
  const where = { jti: tokenId, accountId, family: { revokedAt: null } }
  const token = await database.token.findFirst({ where, select: { familyId: true } })
  if (!token) throw unauthorised('token', 'This token was revoked during the request')
  return token.familyId
}

/** Deletes codes that have expired, and the oldest codes above the limit. */
async function forgetOldCodes({ database, clock }: CreatePairingCodeDeps, accountId: string): Promise<void> {
  const codes = await database.pairingCode.findMany({ where: { accountId }, orderBy: { createdAt: 'desc' } })
  const old = codes.filter(({ expiresAt }, index) => index >= MOST_CODES - 1 || expiresAt <= clock.now())
  await database.pairingCode.deleteMany({ where: { accountId, prefix: { in: old.map(({ prefix }) => prefix) } } })
}

/** Creates and stores a code. Tries again if another code has the same first characters. */
async function storeNewCode(
  { database, clock, random, box }: CreatePairingCodeDeps,
  code: {
    readonly accountId: string
    readonly familyId: string | null
    readonly keyId: string | null
    readonly expiresAt: Date
  },
): Promise<string> {
  for (let turn = 0; turn < MOST_COLLISIONS; turn += 1) {
    const text = newPairingCode(random)
    const secretHash = box.fingerprint(text, PAIRING_CODE)
    const row = { ...code, prefix: prefixOf(text), secretHash, createdAt: clock.now() }
    const { count } = await database.pairingCode.createMany({ data: [row], skipDuplicates: true })
    if (count === 1) return text
  }
  throw new Error(`${MOST_COLLISIONS} new pairing codes in a row already exist: the random source is broken`)
}
