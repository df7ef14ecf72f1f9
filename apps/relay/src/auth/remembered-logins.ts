import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { addressBlock } from '../limits/address-block.ts'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { Random } from '../random.ts'

/** How long after its last check a password is checked again. */
const CACHED_MS = 60_000
/** A login is forgotten after three days without use, or after ten thousand other logins. */
const RECOGNISED_MS = 3 * 24 * 3_600_000
const SIZE = 10_000
/** How many addresses of a login are known at the same time. */
const MOST_ADDRESSES = 100
/** How many addresses of a login become known between two checks of its password, because each of them is stored. */
const MOST_NEW_ADDRESSES = 20

/**
 * Logins that succeeded on this relay, and from where. For a minute the password is not checked again. After that it is
 * checked, but a login with the same password from a known address passes the throttle and goes to the front of the
 * queue. So an owner can log in during a flood of guesses, even from the same address. From another address the throttle
 * applies, because otherwise somebody could try any number of passwords there and would notice the right one.
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

  get(key: string, address: string): KnownLogin | undefined {
    const login = this.#logins.get(key)
    if (!login) return undefined
    const ageMs = this.#nowMs() - login.checkedMs
    if (ageMs >= 0 && ageMs < RECOGNISED_MS)
      return { ...login, isCached: ageMs < CACHED_MS, isKnownAddress: login.addresses.has(addressBlock(address)) }
    this.#logins.delete(key)
    return undefined
  }

  /** Must be called when the password was checked. `address`: where the login succeeded. */
  add(key: string, login: Login, address: string): void {
    const before = this.#logins.get(key)
    const isSame = before?.accountId === login.accountId && before.credentialVersion === login.credentialVersion
    const addresses = isSame ? before.addresses : new Set<string>()
    this.#logins.set(key, { ...login, checkedMs: this.#nowMs(), addresses, newAddresses: 0 })
    this.addAddress(key, address)
  }

  /** Adds an address at which the login succeeded. Returns false if it is not added. */
  addAddress(key: string, address: string): boolean {
    const login = this.#logins.get(key)
    const block = addressBlock(address)
    if (login === undefined || login.addresses.has(block) || login.newAddresses >= MOST_NEW_ADDRESSES) return false
    login.newAddresses += 1
    login.addresses.add(block)
    const [oldest] = login.addresses
    if (login.addresses.size > MOST_ADDRESSES && oldest !== undefined) login.addresses.delete(oldest)
    return true
  }

  delete(key: string): void {
    this.#logins.delete(key)
  }
}

interface Remembered extends Login {
  readonly checkedMs: number
  readonly addresses: Set<string>
  newAddresses: number
}

export interface KnownLogin extends Login {
  /** True if the password need not be checked again. */
  readonly isCached: boolean
  /** True if the login succeeded at this address before. */
  readonly isKnownAddress: boolean
}

export interface Login {
  readonly accountId: string
  /** Password version of the account when the password was checked. */
  readonly credentialVersion: number
}
