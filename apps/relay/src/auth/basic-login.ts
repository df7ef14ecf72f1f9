// Who is called by a user name and a password, for 5 ms of a core at most, and mostly for a few microseconds:
//
//   remembered and believed ──▶ the account's version still fits ──▶ in
//   anything else ──▶ the same pair is being checked right now? wait for that
//                 ──▶ throttle (not for what is recognised) ──▶ fair queue ──▶ argon2id ──▶ remembered
//
// Unknown names take the same way with a hash of nothing, so that the time tells nobody which names exist.
import { availableParallelism } from 'node:os'
import { passwordChecker } from '../accounts/check-password.ts'
import type { Pepper } from '../accounts/password-hash.ts'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { addressBlock } from '../limits/address-block.ts'
import { FairQueue, URGENT } from '../limits/fair-queue.ts'
import type { Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { FreshLookup } from '../store/fresh-lookup.ts'
import { type AccountStanding, accountStandings } from './account-standing.ts'
import { GuessThrottle } from './guess-throttle.ts'
import { type Login, RememberedLogins } from './remembered-logins.ts'

/** One core stays free for everything else, and most of Node's four worker threads too. */
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
/** About a third of a second of hashing. */
const HASHES_WAITING = 64

interface BasicLoginNeeds {
  readonly database: Database
  readonly box: Pepper
  readonly random: Random
  readonly clock: Clock
}

interface Attempt {
  readonly username: string
  readonly password: string
  readonly address: string
}

export class BasicLogin {
  readonly #compare: ReturnType<typeof passwordChecker>
  readonly #standings: FreshLookup<AccountStanding>
  readonly #remembered: RememberedLogins
  readonly #throttle: GuessThrottle
  readonly #queue = new FairQueue({ slots: HASHES_AT_ONCE, places: HASHES_WAITING })
  readonly #checking = new Map<string, Promise<Login | undefined>>()

  constructor(needs: BasicLoginNeeds) {
    const nowMs = () => needs.clock.now().getTime()
    this.#compare = passwordChecker(needs)
    this.#standings = accountStandings(needs.database, nowMs)
    this.#remembered = new RememberedLogins(needs.random, nowMs)
    this.#throttle = new GuessThrottle(nowMs)
  }

  /** The account, or undefined for a wrong pair. 429 when there were too many wrong ones. */
  async check(attempt: Attempt): Promise<(AccountStanding & { readonly accountId: string }) | undefined> {
    const key = this.#remembered.keyOf(attempt.username, attempt.password)
    const known = this.#remembered.get(key)
    const standing = known?.isBelieved ? await this.#standingOf(known) : undefined
    if (known && standing) return { accountId: known.accountId, ...standing }
    const login = await (this.#checking.get(key) ?? this.#begin(key, attempt))
    const present = login && (await this.#standingOf(login))
    return login && present ? { accountId: login.accountId, ...present } : undefined
  }

  /** What was believed of this account is looked up again: its password has just changed, or it is gone. */
  forget(accountId: string): void {
    this.#standings.forget((_, id) => id === accountId)
  }

  /** Of the account, unless its password has changed since the login was checked. */
  async #standingOf(login: Login): Promise<AccountStanding | undefined> {
    const standing = await this.#standings.get(login.accountId)
    if (!standing || standing.credentialVersion === login.credentialVersion) return standing
    if (standing.credentialVersion > login.credentialVersion) return undefined
    // The login is the newer of the two: what is remembered of the account is out of date.
    this.forget(login.accountId)
    const present = await this.#standings.get(login.accountId)
    return present?.credentialVersion === login.credentialVersion ? present : undefined
  }

  /** Asked for the same pair at the same time, one check is enough; only what starts one counts as a guess. */
  #begin(key: string, attempt: Attempt): Promise<Login | undefined> {
    const isRecognised = this.#remembered.get(key) !== undefined
    const guess = isRecognised ? undefined : this.#throttle.take(attempt.username, attempt.address)
    if (guess && !guess.ok) throw tooMany('too many wrong passwords from your address', guess.retryAfterSeconds)
    const group = isRecognised ? URGENT : addressBlock(attempt.address)
    const checking = this.#queue
      .run(group, async () => ({ login: await this.#compare(attempt) }))
      .then(
        (result) => {
          if (result === undefined || result.login) guess?.giveBack()
          if (result === undefined) throw tooMany('too many passwords are waiting to be checked', 1)
          if (result.login) this.#remembered.add(key, result.login)
          else this.#remembered.delete(key)
          return result.login
        },
        (error: unknown) => {
          guess?.giveBack()
          throw error
        },
      )
    this.#checking.set(key, checking)
    const done = () => this.#checking.delete(key)
    checking.then(done, done)
    return checking
  }
}

function tooMany(what: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, `${what}; try again in ${retryAfterSeconds} s`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
