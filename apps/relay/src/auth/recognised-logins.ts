import type { Pepper } from '../accounts/password-hash.ts'
import { addressBlock } from '../limits/address-block.ts'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { Database } from '../store/database.ts'
import type { Login } from './remembered-logins.ts'

const DAY_MS = 86_400_000
const MOST_OF_ACCOUNT = 100
const RECOGNISED_DAYS = 30
/** Rows read at once, newest first, and kept in memory. */
const SIZE = 50_000
/** Logins on other relays are seen after this time. */
const LOAD_AGAIN_MS = 1_000
/** A row may be committed later than its time says. */
const OVERLAP_MS = 10_000

interface Attempt {
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
 * Logins that succeeded from an address before, for all relays and across restarts. They do not replace the check of the
 * password, but pass the throttle; a guess never does, because the hash covers the password.
 *
 * The rows are loaded when the throttle first refuses an attempt, and new rows at most once per second: a login flood costs
 * the database one query per second, and an idle relay none.
 */
export class RecognisedLogins {
  readonly #deps: RecognisedLoginsDeps
  readonly #known = new BoundedMap<string, { readonly seenMs: number }>(SIZE)
  #latest = new Date(0)
  #loadedMs = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined

  constructor(deps: RecognisedLoginsDeps) {
    this.#deps = deps
  }

  keyOf({ username, password, address }: Attempt): string {
    return this.#deps.box.fingerprint(`${addressBlock(address)} ${username}:${password}`, 'recognised login')
  }

  /** Returns false while the database is unavailable. */
  async has(key: string): Promise<boolean> {
    if (this.#known.get(key)) return true
    await this.#loadNew().catch(() => undefined)
    return this.#known.get(key) !== undefined
  }

  /** Writes at most once per day. */
  async remember(key: string, { accountId, credentialVersion }: Login): Promise<void> {
    const nowMs = this.#deps.nowMs()
    const ageMs = nowMs - (this.#known.get(key)?.seenMs ?? Number.NEGATIVE_INFINITY)
    if (ageMs >= 0 && ageMs < DAY_MS) return
    this.#known.set(key, { seenMs: nowMs })
    const { database } = this.#deps
    // Skips a login whose password was changed in the meantime.
    await database.$executeRaw`
      INSERT INTO recognised_logins (login_hash, account_id, credential_version)
      SELECT ${key}, id, credential_version FROM accounts
       WHERE id = ${accountId} AND credential_version = ${credentialVersion} FOR KEY SHARE
      ON CONFLICT (login_hash) DO UPDATE SET seen_at = now(), credential_version = excluded.credential_version`
    await database.$executeRaw`
      DELETE FROM recognised_logins WHERE login_hash IN (
        SELECT login_hash FROM recognised_logins WHERE account_id = ${accountId}
         ORDER BY seen_at DESC OFFSET ${MOST_OF_ACCOUNT})`
  }

  /** Deletes a login whose password is no longer right. */
  async forget(key: string): Promise<void> {
    this.#known.delete(key)
    await this.#deps.database.$executeRaw`DELETE FROM recognised_logins WHERE login_hash = ${key}`
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
    const since = new Date(this.#latest.getTime() - OVERLAP_MS)
    const rows = await this.#deps.database.$queryRaw<{ loginHash: string; seenAt: Date }[]>`
      SELECT r.login_hash AS "loginHash", r.seen_at AS "seenAt"
        FROM recognised_logins r JOIN accounts a ON a.id = r.account_id AND a.credential_version = r.credential_version
       WHERE r.seen_at > ${since} ORDER BY r.seen_at DESC LIMIT ${SIZE}`
    for (const { loginHash, seenAt } of rows) {
      if (seenAt > this.#latest) this.#latest = seenAt
      this.#known.set(loginHash, { seenMs: Math.min(nowMs, seenAt.getTime()) })
    }
    this.#loadedMs = nowMs
  }
}

/** Deletes recognised logins that are old or whose password was changed, of all accounts. */
export async function deleteOldRecognisedLogins(database: Database): Promise<void> {
  await database.$executeRaw`
    DELETE FROM recognised_logins r USING accounts a
     WHERE a.id = r.account_id
       AND (r.seen_at < now() - ${RECOGNISED_DAYS}::int * interval '1 day' OR r.credential_version <> a.credential_version)`
}
