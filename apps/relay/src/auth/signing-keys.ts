// The keys that sign tokens, as every replica sees them: rows that are read at start, again every ten minutes in the
// background, and at once when a token names a key that is not among them. `rotate-signing-keys.ts` makes them.
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'

/** A new key is published a day before it signs: any of the reads in between will do. */
const READ_EVERY_MS = 600_000
/** Whoever sends made-up key ids causes one read in this time. */
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
  readonly #needs: { readonly database: Database; readonly box: Pick<SecretBox, 'open'>; readonly clock: Clock }
  #keys: readonly SigningKey[] = []
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(needs: { readonly database: Database; readonly box: Pick<SecretBox, 'open'>; readonly clock: Clock }) {
    this.#needs = needs
  }

  /** The newest one whose time has come. */
  async signer(): Promise<SigningKey> {
    await this.#upToDate()
    const nowMs = this.#nowMs()
    const [newest] = this.#keys
      .filter(({ signsFromMs }) => signsFromMs <= nowMs)
      .sort((a, b) => b.signsFromMs - a.signsFromMs)
    if (!newest) throw new Error('there is no key to sign tokens with: none was made at start')
    return newest
  }

  /** The key of this id, unless it is unknown or past its time. */
  async verifier(kid: string): Promise<KeyObject | undefined> {
    await this.#upToDate()
    if (!this.#find(kid) && this.#ageMs() > SEARCH_EVERY_MS) await this.#read()
    return this.#find(kid)?.publicKey
  }

  /** The public parts of those that sign, will sign, or have signed what is still valid. */
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
    // Its failure is not lost: the keys at hand go on to serve, and the next one tries again.
    else if (this.#ageMs() > READ_EVERY_MS) this.#read().catch(() => undefined)
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readRows().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readRows(): Promise<void> {
    const { database, box } = this.#needs
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
    // A clock that was set back has made them old.
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs
  }

  #nowMs(): number {
    return this.#needs.clock.now().getTime()
  }
}

const USE = { use: 'sig', alg: 'EdDSA' }
