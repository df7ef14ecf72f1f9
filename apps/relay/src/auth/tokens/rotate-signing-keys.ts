import { generateKeyPairSync } from 'node:crypto'
import type { CoreDeps } from '../../core-deps.ts'
import { newId } from '../../random.ts'
import type { Statements } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { lockSigningKeys } from './lock-signing-keys-statement.ts'
import { SIGNING_KEY_PURPOSE } from './signing-keys.ts'

const DAY_MS = 86_400_000
/** How long a key is used to sign tokens. */
const SIGNS_MS = 90 * DAY_MS
/** How long before its first use a key is published, because other programs cache the public keys. */
const PUBLISHED_BEFORE_MS = DAY_MS

/** How long a retired key is kept, so that a relay whose clock is ahead does not delete a key in use. */
const KEPT_MS = 30 * DAY_MS

interface RotationDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random'> {
  readonly box: Pick<SecretBox, 'seal'>
  /** The longest lifetime of a token. A key still verifies tokens for this time after its last signature. */
  readonly longestTokenSeconds: number
}

/**
 * Creates the first signing key, and each next key early enough. The previous key verifies tokens until the last token
 * that it may have signed has expired. Called at start and every few hours on every relay; a lock prevents relays that
 * start together from creating several keys.
 */
export async function rotateSigningKeys(deps: RotationDeps): Promise<void> {
  await deps.database.$transaction(async (statements) => {
    await lockSigningKeys(statements)
    const now = deps.clock.now().getTime()
    const newest = await statements.signingKey.findFirst({ orderBy: { signsFrom: 'desc' } })
    if (!newest) await addKey(statements, deps, now)
    else if (newest.signsFrom.getTime() + SIGNS_MS - PUBLISHED_BEFORE_MS <= now) {
      const signsFrom = now + PUBLISHED_BEFORE_MS
      await addKey(statements, deps, signsFrom)
      // The additional hour is for relays that sign with the old key until they read the keys again.
      const retiresAt = new Date(signsFrom + deps.longestTokenSeconds * 1000 + 3_600_000)
      await statements.signingKey.update({ where: { kid: newest.kid }, data: { retiresAt } })
    }
    await statements.signingKey.deleteMany({ where: { retiresAt: { lt: new Date(now - KEPT_MS) } } })
  })
}

async function addKey(
  statements: Statements,
  { box, clock, random }: RotationDeps,
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
