import { timingSafeEqual } from 'node:crypto'
import { explicitScopes, type Scope, scopes } from '@smsgw/contract/access/scopes'
import type { CoreDeps } from '../../core-deps.ts'
import type { Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { addressBlock } from '../../limits/address-block.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { GuessThrottle } from '../passwords/guess-throttle.ts'
import { idOfKey } from './key-text.ts'
import { type KeyStanding, readKeyStandings } from './read-key-standings-statement.ts'

const SIZE = 10_000
/** A relay writes the time of the last use of a key at most once in this time. */
const USE_EVERY_MS = 60_000
/** Purpose of the keyed hash of a stored key. */
export const API_KEY = 'api-key'

interface KeyLoginDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly box: Pick<SecretBox, 'fingerprint'>
}

/**
 * Authenticates programs with an API key. A key has 190 random bits, so its check costs one keyed hash and no argon2id.
 * A right key is never throttled. Wrong keys are throttled per key id and address, and per address.
 */
export class KeyLogin {
  readonly #deps: KeyLoginDeps
  readonly #standings: FreshLookup<KeyStanding>
  readonly #throttle: GuessThrottle
  /** The time at which this relay last recorded the use of each key. */
  readonly #noted = new BoundedMap<string, { readonly atMs: number }>(SIZE)

  constructor(deps: KeyLoginDeps) {
    this.#deps = deps
    const nowMs = () => this.#nowMs()
    this.#standings = new FreshLookup({ nowMs, size: SIZE, load: (ids) => readKeyStandings(deps.database, ids) })
    this.#throttle = new GuessThrottle(nowMs)
  }

  /** Returns undefined when the key is wrong, expired or revoked. Throws 429 after too many wrong keys. */
  async check({ key, address }: { readonly key: string; readonly address: string }): Promise<Principal | undefined> {
    const id = idOfKey(key)
    const secretHash = this.#deps.box.fingerprint(key, API_KEY)
    const principal = id && this.#principalOf(id, secretHash, await this.#standings.get(id))
    if (id && principal) return this.#withUse(id, address, principal)
    const guess = this.#throttle.take(id ?? '', address)
    if (!guess.ok) throw tooMany(guess.retryAfterSeconds)
    if (!id) return undefined
    // Another relay may have rotated the key after its cached state was read.
    this.#standings.forget((_, known) => known === id)
    const again = this.#principalOf(id, secretHash, await this.#standings.get(id))
    if (!again) return undefined
    guess.giveBack()
    return this.#withUse(id, address, again)
  }

  /** Returns why a key that was accepted is no longer valid, or undefined while it is valid. */
  async lossOf(id: string, secretHash: string): Promise<'key_expired' | 'key_revoked' | undefined> {
    const standing = await this.#standings.get(id)
    if (!standing) return 'key_revoked'
    if (standing.expiresAt !== null && standing.expiresAt.getTime() <= this.#nowMs()) return 'key_expired'
    return this.#principalOf(id, secretHash, standing) ? undefined : 'key_revoked'
  }

  /** Discards the cached keys of an account, because some were changed, rotated or revoked. */
  forget(accountId: string): void {
    this.#standings.forget((standing) => standing.accountId === accountId)
  }

  #principalOf(id: string, secretHash: string, standing: KeyStanding | undefined): Principal | undefined {
    if (!standing) return undefined
    const { accountId, username, name, limits, previousSecretHash, previousUntil } = standing
    const ends = standing.expiresAt === null ? [] : [standing.expiresAt]
    if (!isEqual(secretHash, standing.secretHash)) {
      if (previousSecretHash === null || previousUntil === null || !isEqual(secretHash, previousSecretHash))
        return undefined
      ends.push(previousUntil)
    }
    const endMs = Math.min(...ends.map((end) => end.getTime()))
    if (endMs <= this.#nowMs()) return undefined
    return {
      accountId,
      username,
      scopes: scopesOfKey(standing.scopes),
      key: { id, name, limits, secretHash },
      ...(ends.length > 0 && { expiresAt: new Date(endMs) }),
    }
  }

  /** Writes the use of the key in the background. */
  #withUse(id: string, address: string, principal: Principal): Principal {
    const now = this.#deps.clock.now()
    const ageMs = now.getTime() - (this.#noted.get(id)?.atMs ?? Number.NEGATIVE_INFINITY)
    if (ageMs >= 0 && ageMs < USE_EVERY_MS) return principal
    this.#noted.set(id, { atMs: now.getTime() })
    const minute = new Date(Math.floor(now.getTime() / USE_EVERY_MS) * USE_EVERY_MS)
    this.#deps.database.apiKey
      .updateMany({ where: { id }, data: { lastUsedAt: minute, lastUsedFrom: addressBlock(address) } })
      // After a failed write, the next use of the key is written.
      .catch(() => this.#noted.delete(id))
    return principal
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

/** Returns the scopes of a key. `all:any` stands for all scopes, except those that must be named. */
export function scopesOfKey(names: readonly string[]): ReadonlySet<Scope> {
  const named = scopes.filter((scope) => names.includes(scope))
  if (!named.includes('all:any')) return new Set(named)
  return new Set(
    scopes.filter((scope) => scope !== 'all:any' && (named.includes(scope) || !explicitScopes.includes(scope))),
  )
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

function tooMany(retryAfterSeconds: number): ApiError {
  return new ApiError(429, `Too many wrong API keys from your address; try again in ${retryAfterSeconds} s`, {
    reason: 'too_many_attempts',
    values: { seconds: retryAfterSeconds },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
