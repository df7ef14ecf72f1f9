// The keys that sign tokens. Every relay reads the keys from the database at start, every ten minutes in the
// background, and at once when a token names an unknown key. `rotate-signing-keys.ts` creates the keys.
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'

/** Reading at this interval is early enough, because a new key is published a day before its first use. */
const READ_EVERY_MS = 600_000
/** Unknown key ids cause at most one read per interval. */
const SEARCH_EVERY_MS = 5_000

export const SIGNING_KEY_PURPOSE = 'signing-key'

interface SigningKey {
  readonly kid: string
  readonly publicJwk: JsonWebKey
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  readonly signsFromMs: number
  readonly retiresAtMs: number
}

export class SigningKeys {
  readonly #deps: { readonly database: Database; readonly box: Pick<SecretBox, 'open'>; readonly clock: Clock }
  #keys: readonly SigningKey[] = []
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(deps: { readonly database: Database; readonly box: Pick<SecretBox, 'open'>; readonly clock: Clock }) {
    this.#deps = deps
  }

  /** Returns the newest active key, or the oldest key when the clock is behind all of them. */
  async signer(): Promise<SigningKey> {
    await this.#upToDate()
    const nowMs = this.#nowMs()
    const keys = this.#keys.toSorted((a, b) => b.signsFromMs - a.signsFromMs)
    const signer = keys.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? keys.at(-1)
    if (!signer) throw new Error('no signing key exists: rotateSigningKeys creates one at start')
    return signer
  }

  /** Returns the key of this id, or undefined when it is unknown or retired. */
  async verifier(kid: string): Promise<KeyObject | undefined> {
    await this.#upToDate()
    if (!this.#find(kid) && this.#ageMs() > SEARCH_EVERY_MS) await this.#read()
    return this.#find(kid)?.publicKey
  }

  /** Returns the public keys of all key pairs that sign tokens now or later, or whose tokens may still be valid. */
  async published(): Promise<JsonWebKey[]> {
    await this.#upToDate()
    return this.#keys.filter((key) => this.#isLive(key)).map(({ kid, publicJwk }) => ({ ...publicJwk, kid, ...USE }))
  }

  #find(kid: string): SigningKey | undefined {
    return this.#keys.find((key) => key.kid === kid && this.#isLive(key))
  }

  #isLive({ retiresAtMs }: SigningKey): boolean {
    return retiresAtMs > this.#nowMs()
  }

  async #upToDate(): Promise<void> {
    if (this.#keys.length === 0) await this.#read()
    // A failure is harmless, because the keys in memory stay in use and the next request tries again.
    else if (this.#ageMs() > READ_EVERY_MS) this.#read().catch(() => undefined)
  }

  #read(): Promise<void> {
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #load(): Promise<void> {
    const { database, box } = this.#deps
    this.#readMs = this.#nowMs()
    const rows = await database.signingKey.findMany()
    this.#keys = rows.map(({ kid, publicJwk, privateSealed, signsFrom, retiresAt }) => ({
      kid,
      publicJwk: publicJwk as JsonWebKey,
      publicKey: createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' }),
      privateKey: createPrivateKey(box.open(privateSealed, SIGNING_KEY_PURPOSE)),
      signsFromMs: signsFrom.getTime(),
      retiresAtMs: retiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    }))
  }

  #ageMs(): number {
    const ageMs = this.#nowMs() - this.#readMs
    // Returns infinity after the clock was set back: the age is then unknown, so the keys are read again.
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

const USE = { use: 'sig', alg: 'EdDSA' }

/**
 * Publishes the keys as a JWK Set (RFC 7517) for services that verify our tokens. The set is empty in Local Server
 * mode.
 */
export function publishKeys({
  signingKeys,
}: {
  readonly signingKeys: Pick<SigningKeys, 'published'> | undefined
}): Endpoint {
  return endpoint({
    answers: { 200: keySet },
    async handle() {
      const keys = signingKeys ? await signingKeys.published() : []
      return { status: 200, body: { keys }, headers: { 'Cache-Control': 'public, max-age=3600' } }
    },
  })
}

const keySet = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        kid: z.string(),
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
      }),
    ),
  })
  .meta({ id: 'KeySet', description: 'The public keys that verify tokens of the relay' })
