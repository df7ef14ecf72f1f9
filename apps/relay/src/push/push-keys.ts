// The key pair that identifies this installation to push services (VAPID, RFC 8292). It is created at the first start
// and never replaced, because a browser accepts notifications only with the key of its subscription. All relays of a
// database share it, and backups contain it.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

const PURPOSE = 'push-key'

/** How long a signature is valid. Push services accept at most a day. */
const VALID_SECONDS = 12 * 3_600

export interface PushKeys {
  /** The public key in base64url, the form that browsers require. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/**
 * Returns the key pair, which the first call creates. If several relays start together, only one of them creates the
 * key pair.
 */
export async function readPushKeys(database: Database, box: SecretBox): Promise<PushKeys> {
  const where = { id: 1 }
  const stored = await database.installation.findUniqueOrThrow({ where })
  if (stored.pushPublicKey !== null && stored.pushPrivateSealed !== null)
    return {
      publicKey: stored.pushPublicKey,
      privateKey: createPrivateKey(box.open(stored.pushPrivateSealed, PURPOSE)),
    }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([UNCOMPRESSED]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await database.installation.updateMany({
    where: { ...where, pushPublicKey: null },
    data: { pushPublicKey: point.toString('base64url'), pushPrivateSealed: box.seal(pem, PURPOSE) },
  })
  return readPushKeys(database, box)
}

/** First byte of an uncompressed point (SEC 1 §2.3.3). */
const UNCOMPRESSED = 4

/**
 * Returns the `Authorization` header for a push service.
 *
 * @param contact an https or mailto address at which the operators of the push service can reach the operator of this
 * installation
 */
export async function pushAuthorization(
  { publicKey, privateKey }: PushKeys,
  { endpoint, contact, now }: { readonly endpoint: string; readonly contact: string; readonly now: Date },
): Promise<string> {
  const token = await new SignJWT({ aud: new URL(endpoint).origin, sub: contact })
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setExpirationTime(Math.floor(now.getTime() / 1000) + VALID_SECONDS)
    .sign(privateKey)
  return `vapid t=${token}, k=${publicKey}`
}
