import { generateKeyPairSync } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { newId, type Random } from '../random.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { SIGNING_KEY_PURPOSE } from './signing-keys.ts'

const DAY_MS = 86_400_000
/** How long a key signs. */
const SIGNS_MS = 90 * DAY_MS
/** How long a key is published before it signs, for whoever keeps our public keys for a while. */
const PUBLISHED_BEFORE_MS = DAY_MS

interface RotationNeeds {
  readonly database: Database
  readonly box: Pick<SecretBox, 'seal'>
  readonly clock: Clock
  readonly random: Random
  /** No token lives longer: a key verifies that long after it signed for the last time. */
  readonly longestTokenSeconds: number
}

/**
 * Makes the first key, and each next one in good time; the one before goes on to verify until the last token it may have
 * signed has expired, so nobody is logged out. To be called at start and every few hours, on any replica: a lock makes
 * those that start together find one key, not one each.
 */
export async function rotateSigningKeys(needs: RotationNeeds): Promise<void> {
  await needs.database.$transaction(async (statements) => {
    await statements.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
    const now = needs.clock.now().getTime()
    const newest = await statements.signingKey.findFirst({ orderBy: { signsFrom: 'desc' } })
    if (!newest) await addKey(statements, needs, now)
    else if (newest.signsFrom.getTime() + SIGNS_MS - PUBLISHED_BEFORE_MS <= now) {
      const signsFrom = now + PUBLISHED_BEFORE_MS
      await addKey(statements, needs, signsFrom)
      // An hour more: a replica may be late to learn that it no longer signs with it.
      const retiresAt = new Date(signsFrom + needs.longestTokenSeconds * 1000 + 3_600_000)
      await statements.signingKey.update({ where: { kid: newest.kid }, data: { retiresAt } })
    }
    await statements.signingKey.deleteMany({ where: { retiresAt: { lt: new Date(now) } } })
  })
}

/** Any number that no other advisory lock of ours has. */
const LOCK = 72_707_401n

async function addKey(
  statements: Statements,
  { box, clock, random }: RotationNeeds,
  signsFromMs: number,
): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { kty, crv, x } = publicKey.export({ format: 'jwk' })
  await statements.signingKey.create({
    data: {
      kid: newId(random),
      publicJwk: { kty: kty ?? '', crv: crv ?? '', x: x ?? '' },
      privateSealed: box.seal(pem, SIGNING_KEY_PURPOSE),
      createdAt: clock.now(),
      signsFrom: new Date(signsFromMs),
    },
  })
}
