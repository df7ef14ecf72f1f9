import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { Random } from '../random.ts'

/** How long after its last check a password is checked again. */
const CACHED_MS = 60_000
/** A login is forgotten after three days without use, or after ten thousand other logins. */
const RECOGNISED_MS = 3 * 24 * 3_600_000
const SIZE = 10_000
/** How many addresses of a login are stored between two checks of its password. */
const MOST_ADDRESSES = 20

/**
 * Logins that succeeded on this relay. For a minute the password is not checked again. After that it is checked, but a login
 * with the same password passes the throttle and goes to the front of the queue. So an owner can log in during a flood of
 * guesses, even from the same address.
 *
 * Only a hash is kept, made with a random key of this process.
 */
export class RememberedLogins {
  /** Created once, because hashing with the raw bytes of the key would take ten times as long for each login. */
  readonly #key: KeyObject
  readonly #nowMs: () => number
  readonly #logins = new BoundedMap<string, Remembered>(SIZE)

  constructor(random: Random, nowMs: () => number) {
    this.#key = createSecretKey(random.bytes(32))
    this.#nowMs = nowMs
  }

  /** User names contain no colon, so different pairs of name and password have different keys. */
  keyOf(username: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${username}:${password}`).digest('base64url')
  }

  get(key: string): (Login & { readonly isCached: boolean }) | undefined {
    const login = this.#logins.get(key)
    if (!login) return undefined
    const ageMs = this.#nowMs() - login.checkedMs
    if (ageMs >= 0 && ageMs < RECOGNISED_MS) return { ...login, isCached: ageMs < CACHED_MS }
    this.#logins.delete(key)
    return undefined
  }

  /** `address`: where the login succeeded. */
  add(key: string, login: Login, address: string): void {
    this.#logins.set(key, { ...login, checkedMs: this.#nowMs(), addresses: new Set([address]) })
  }

  /** Returns true if the cached login is used at this address for the first time since its password was checked. */
  isNewAddress(key: string, address: string): boolean {
    const addresses = this.#logins.get(key)?.addresses
    if (addresses === undefined || addresses.has(address) || addresses.size >= MOST_ADDRESSES) return false
    addresses.add(address)
    return true
  }

  delete(key: string): void {
    this.#logins.delete(key)
  }
}

interface Remembered extends Login {
  readonly checkedMs: number
  readonly addresses: Set<string>
}

export interface Login {
  readonly accountId: string
  /** Password version of the account when the password was checked. */
  readonly credentialVersion: number
}
