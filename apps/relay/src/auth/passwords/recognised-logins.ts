import type { Pepper } from '../../accounts/password-hash.ts'
import { addressBlock } from '../../limits/address-block.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'
import type { Database } from '../../store/database.ts'
import { readRecognisedLogins } from './read-recognised-logins-statement.ts'
import type { RememberedLogin } from './remembered-logins.ts'
import { storeRecognisedLogin } from './store-recognised-login-statement.ts'

const DAY_MS = 86_400_000
/**
 * The largest number of rows that one query reads (newest first), and the largest number of logins that are kept in
 * memory.
 */
const SIZE = 50_000
/** After a login on another relay, this relay recognises it within this time. */
const LOAD_AGAIN_MS = 1_000
/**
 * The number of latest rows that are read again, because a row may be committed after rows with higher numbers. Relays
 * write fewer rows than this in ten seconds.
 */
const OVERLAP = 2_000n

interface Attempt {
  /** In canonical form, like all names in this file. */
  readonly username: string
  readonly password: string
  readonly address: string
}

interface RecognisedLoginsDeps {
  readonly database: Database
  readonly box: Pepper
  readonly nowMs: () => number
}

/**
 * Remembers logins that succeeded from an address, on any relay and across restarts. The throttle does not delay such a
 * login, but its password is still checked. Each entry is a hash of the password and the address, so attempts with a
 * wrong password or from another address are always throttled.
 *
 * The rows are loaded when the throttle first refuses an attempt, and new rows at most once per second. So a login
 * flood costs the database one query per second, and an idle relay causes none. Rows are read by their number, so that
 * clocks do not matter.
 */
export class RecognisedLogins {
  readonly #deps: RecognisedLoginsDeps
  readonly #logins = new BoundedMap<string, { readonly seenMs: number }>(SIZE)
  readonly #names = new BoundedMap<string, true>(SIZE)
  #latest = 0n
  #loadedMs = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined

  constructor(deps: RecognisedLoginsDeps) {
    this.#deps = deps
  }

  keyOf({ username, password, address }: Attempt): string {
    return this.#deps.box.fingerprint(`${addressBlock(address)} ${username}:${password}`, 'recognised login')
  }

  /** While the database is unavailable, recognises only the logins that are in memory. */
  async has(key: string): Promise<boolean> {
    if (this.#logins.get(key)) return true
    await this.#loadNew().catch(() => undefined)
    return this.#logins.get(key) !== undefined
  }

  /** Returns true if somebody logged in to this account, on this relay or according to the rows that `has` loaded. */
  hasName(username: string): boolean {
    return this.#names.get(username) === true
  }

  /** Writes at most once per day. */
  async remember(key: string, username: string, login: RememberedLogin): Promise<void> {
    // Keeps this name when a password change deletes the stored logins.
    this.#names.set(username, true)
    const nowMs = this.#deps.nowMs()
    const ageMs = nowMs - (this.#logins.get(key)?.seenMs ?? Number.NEGATIVE_INFINITY)
    if (ageMs >= 0 && ageMs < DAY_MS) return
    await storeRecognisedLogin(this.#deps.database, key, login)
    // Set only after the write, so that the next login tries again after a failed write.
    this.#logins.set(key, { seenMs: nowMs })
  }

  /** Deletes a login whose password is no longer right. */
  async forget(key: string): Promise<void> {
    this.#logins.delete(key)
    await this.#deps.database.recognisedLogin.deleteMany({ where: { loginHash: key } })
  }

  async #loadNew(): Promise<void> {
    const ageMs = this.#deps.nowMs() - this.#loadedMs
    if (ageMs >= 0 && ageMs < LOAD_AGAIN_MS) return
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    await this.#loading
  }

  async #load(): Promise<void> {
    const nowMs = this.#deps.nowMs()
    const rows = await readRecognisedLogins(this.#deps.database, { afterSeq: this.#latest - OVERLAP, most: SIZE })
    for (const { seq, loginHash, username, seenAt } of rows.toReversed()) {
      if (seq > this.#latest) this.#latest = seq
      this.#logins.set(loginHash, { seenMs: Math.min(nowMs, seenAt.getTime()) })
      this.#names.set(username, true)
    }
    this.#loadedMs = nowMs
  }
}
