import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { Random } from '../random.ts'

/** Counted from the check of the password, however often it is used since. */
const BELIEVED_MS = 60_000
/** Three days without this login, or ten thousand others since. */
const RECOGNISED_MS = 3 * 24 * 3_600_000
const SIZE = 10_000

/**
 * Logins that were right. For a minute they are believed without another look at the password. After that they are still
 * recognised: they are checked anew, but go past the throttle and to the front of the queue, which nobody can do who
 * does not know the password. So an owner gets in through a flood of guesses even from the same address.
 *
 * What is kept is a hash under a key that this process made for itself and never shows.
 */
export class RememberedLogins {
  /** Prepared once: the bytes would cost each login ten times as much. */
  readonly #key: KeyObject
  readonly #nowMs: () => number
  readonly #logins = new BoundedMap<string, Login & { readonly checkedMs: number }>(SIZE)

  constructor(random: Random, nowMs: () => number) {
    this.#key = createSecretKey(random.bytes(32))
    this.#nowMs = nowMs
  }

  /** The name ends at the first colon, so no two pairs look the same. */
  keyOf(username: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${username}:${password}`).digest('base64url')
  }

  get(key: string): (Login & { readonly isBelieved: boolean }) | undefined {
    const login = this.#logins.get(key)
    if (!login) return undefined
    const ageMs = this.#nowMs() - login.checkedMs
    if (ageMs >= 0 && ageMs < RECOGNISED_MS) return { ...login, isBelieved: ageMs < BELIEVED_MS }
    this.#logins.delete(key)
    return undefined
  }

  add(key: string, login: Login): void {
    this.#logins.set(key, { ...login, checkedMs: this.#nowMs() })
  }

  delete(key: string): void {
    this.#logins.delete(key)
  }
}

export interface Login {
  readonly accountId: string
  /** Of the account when the password was checked. */
  readonly credentialVersion: number
}
