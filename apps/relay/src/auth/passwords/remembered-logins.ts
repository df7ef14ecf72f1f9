import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { addressBlock } from '../../limits/address-block.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'
import type { Random } from '../../random.ts'

/** A password is checked again when this time has passed since its last check. */
const CACHED_MS = 60_000
/** A login is forgotten after three days without use, or after ten thousand other logins. */
const RECOGNISED_MS = 3 * 24 * 3_600_000
const SIZE = 10_000
/** The number of addresses that are known for a login at the same time. */
const MOST_ADDRESSES = 100

/**
 * Logins that succeeded on this relay, with the addresses from which they succeeded. From these addresses, the password
 * is not checked again for a minute. After this minute it is checked, but the login is not throttled and goes to the
 * front of the queue. So an owner can log in during a flood of guesses, even from the same address. The login is
 * unknown at all other addresses. If it were known there, somebody could try any number of passwords from there and
 * would notice the right password.
 *
 * Only a hash of the login is kept, which is computed with a random key of this process.
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

  /**
   * Returns the key of a login. Usernames contain no colon, so different pairs of name and password have different
   * keys.
   */
  keyOf(username: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${username}:${password}`).digest('base64url')
  }

  /** Returns undefined if the login has not succeeded from this address. */
  get(key: string, address: string): KnownLogin | undefined {
    const login = this.#logins.get(key)
    if (!login) return undefined
    const ageMs = this.#nowMs() - login.checkedMs
    if (ageMs < 0 || ageMs >= RECOGNISED_MS) {
      this.#logins.delete(key)
      return undefined
    }
    if (!login.addresses.has(addressBlock(address))) return undefined
    return { ...login, isCached: ageMs < CACHED_MS }
  }

  /** Must be called when the password was checked. `address` is the address from which the login succeeded. */
  add(key: string, login: RememberedLogin, address: string): void {
    const before = this.#logins.get(key)
    const isSame = before?.accountId === login.accountId && before.credentialVersion === login.credentialVersion
    const addresses = isSame ? before.addresses : new Set<string>()
    addresses.add(addressBlock(address))
    const [oldest] = addresses
    if (addresses.size > MOST_ADDRESSES && oldest !== undefined) addresses.delete(oldest)
    this.#logins.set(key, { ...login, checkedMs: this.#nowMs(), addresses })
  }

  delete(key: string): void {
    this.#logins.delete(key)
  }
}

interface Remembered extends RememberedLogin {
  readonly checkedMs: number
  readonly addresses: Set<string>
}

export interface KnownLogin extends RememberedLogin {
  /** True if the password need not be checked again. */
  readonly isCached: boolean
}

export interface RememberedLogin {
  readonly accountId: string
  /** The password version of the account at the time of the check. */
  readonly credentialVersion: number
}
