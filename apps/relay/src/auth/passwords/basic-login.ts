// Authenticates with a username and password. A cached login takes a few microseconds; a check takes up to 5 ms of one
// core.
//
// The first of these rules that applies to an attempt is used:
//
//   1. The login is cached for this address, and the password of the account is unchanged: accepted.
//   2. The same pair from the same address is being checked: waits for that result.
//   3. The login succeeded from this address before, on this relay: front of the queue.
//   4. This installation generated the password, and few attempts with it were wrong: a reserved check.
//   5. The throttle allows the attempt: the fair queue.
//   6. The login succeeded from this address before, on any relay: front of the queue.
//   7. The address has reached its limit, but the account has not: a reserved check within a second.
//   8. Otherwise: 429.
//
// An unknown username takes the same path with a dummy hash, so that the time does not reveal which names exist.
import { availableParallelism } from 'node:os'
import { passwordChecker } from '../../accounts/check-password.ts'
import { isGeneratedPassword } from '../../accounts/generated-password.ts'
import type { Pepper } from '../../accounts/password-hash.ts'
import { canonicalUsername } from '../../accounts/username.ts'
import type { CoreDeps } from '../../core-deps.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { addressBlock } from '../../limits/address-block.ts'
import { FairQueue, URGENT } from '../../limits/fair-queue.ts'
import { ReservedShare } from '../../limits/reserved-share.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import { type AccountStanding, readAccountStandings } from '../read-account-standings-statement.ts'
import { type Guess, GuessThrottle } from './guess-throttle.ts'
import { RecognisedLogins } from './recognised-logins.ts'
import { type RememberedLogin, RememberedLogins } from './remembered-logins.ts'

/** The number of concurrent hashes leaves one core, and most of Node's four worker threads, free for other work. */
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
/** Computing this number of hashes takes about a third of a second. */
const HASHES_WAITING = 64

interface BasicLoginDeps extends Pick<CoreDeps, 'database' | 'random' | 'clock'> {
  readonly box: Pepper
}

interface Attempt {
  readonly username: string
  readonly password: string
  readonly address: string
}

export class BasicLogin {
  readonly #pepper: Pepper
  readonly #compare: ReturnType<typeof passwordChecker>
  readonly #standings: FreshLookup<AccountStanding>
  readonly #remembered: RememberedLogins
  readonly #recognised: RecognisedLogins
  readonly #throttle: GuessThrottle
  readonly #reserved: ReservedShare
  readonly #queue = new FairQueue({ slots: HASHES_AT_ONCE, places: HASHES_WAITING })
  readonly #checking = new Map<string, Promise<RememberedLogin | undefined>>()

  constructor(deps: BasicLoginDeps) {
    const nowMs = () => deps.clock.now().getTime()
    this.#pepper = deps.box
    this.#compare = passwordChecker(deps)
    this.#standings = new FreshLookup({ nowMs, size: 10_000, load: (ids) => readAccountStandings(deps.database, ids) })
    this.#remembered = new RememberedLogins(deps.random, nowMs)
    this.#recognised = new RecognisedLogins({ ...deps, nowMs })
    this.#throttle = new GuessThrottle(nowMs)
    this.#reserved = new ReservedShare(deps.random)
  }

  /** Returns the account, or undefined when the password is wrong. Throws 429 after too many wrong passwords. */
  async check(sent: Attempt): Promise<(AccountStanding & { readonly accountId: string }) | undefined> {
    // All limits use this name. Otherwise, each spelling of a name would have its own limits.
    const attempt = { ...sent, username: canonicalUsername(sent.username) }
    const key = this.#remembered.keyOf(attempt.username, attempt.password)
    const known = this.#remembered.get(key, attempt.address)
    const standing = known?.isCached ? await this.#standingOf(known) : undefined
    if (known && standing) return { accountId: known.accountId, ...standing }
    const login = await (this.#checking.get(checkOf(key, attempt)) ?? this.#begin(key, attempt))
    const present = login && (await this.#standingOf(login))
    return login && present ? { accountId: login.accountId, ...present } : undefined
  }

  /**
   * Returns the state of the account, which is at most two seconds old. Returns undefined if the account was removed.
   */
  standingOf(accountId: string): Promise<AccountStanding | undefined> {
    return this.#standings.get(accountId)
  }

  /** Discards the cached state of an account whose password was changed, or which was removed. */
  forget(accountId: string): void {
    this.#standings.forget((_, id) => id === accountId)
  }

  /** Returns undefined when the password has changed since the login was checked. */
  async #standingOf(login: RememberedLogin): Promise<AccountStanding | undefined> {
    const standing = await this.#standings.get(login.accountId)
    if (!standing || standing.credentialVersion === login.credentialVersion) return standing
    if (standing.credentialVersion > login.credentialVersion) return undefined
    // Reads the state again, because the login was checked after the state of the account was cached.
    this.forget(login.accountId)
    const present = await this.#standings.get(login.accountId)
    return present?.credentialVersion === login.credentialVersion ? present : undefined
  }

  /** Concurrent attempts with the same pair from the same address share one check and count as one attempt. */
  #begin(key: string, attempt: Attempt): Promise<RememberedLogin | undefined> {
    const check = checkOf(key, attempt)
    const checking = this.#admit(key, attempt)
    this.#checking.set(check, checking)
    const done = () => this.#checking.delete(check)
    checking.then(done, done)
    return checking
  }

  async #admit(key: string, attempt: Attempt): Promise<RememberedLogin | undefined> {
    const { username, address } = attempt
    if (this.#remembered.get(key, address)) return await this.#compareIn(URGENT, key, attempt)
    const guess = this.#throttle.take(username, address)
    const giveBackGenerated = this.#takeGenerated(attempt)
    if (giveBackGenerated) {
      const giveBack = () => {
        giveBackGenerated()
        if (guess.ok) guess.giveBack()
      }
      return await this.#compareIn(turnGroup(address), key, attempt, { giveBack })
    }
    if (guess.ok) return await this.#compareIn(addressBlock(address), key, attempt, guess)
    if (await this.#recognised.has(this.#recognised.keyOf(attempt))) return await this.#compareIn(URGENT, key, attempt)
    // Guesses at other names have used up the limit of the address, but a check may still be reserved for this name.
    const later =
      guess.used === 'address' && (await this.#hasTurn(attempt)) ? this.#throttle.takePair(username, address) : guess
    if (!later.ok) throw tooMany('Too many wrong passwords from your address', later.retryAfterSeconds)
    return await this.#compareIn(turnGroup(address), key, attempt, later)
  }

  /**
   * The limit of the address does not apply to generated passwords, because their last group is a checksum that random
   * guesses hardly ever match. Each generated password has its own limit, because somebody may have a generated
   * password of another account.
   */
  #takeGenerated({ password }: Attempt): (() => void) | undefined {
    if (!isGeneratedPassword(this.#pepper, password)) return undefined
    return this.#throttle.takeGenerated(this.#remembered.keyOf('', password))
  }

  #hasTurn({ username, address }: Attempt): Promise<boolean> {
    const isRecognised = this.#recognised.hasName(username)
    return this.#reserved.turn(addressBlock(address), { name: username, isRecognised })
  }

  async #compareIn(
    group: string,
    key: string,
    attempt: Attempt,
    guess?: Pick<Extract<Guess, { ok: true }>, 'giveBack'>,
  ): Promise<RememberedLogin | undefined> {
    try {
      const compare = async () => ({ login: await this.#compare(attempt) })
      const found = (await this.#queue.run(group, compare)) ?? (await this.#compareDropped(group, attempt, compare))
      if (found === undefined) throw tooMany('Too many passwords are waiting to be checked', 1)
      if (found.login) {
        guess?.giveBack()
        this.#remembered.add(key, found.login, attempt.address)
        await this.#recognise(attempt, found.login)
      } else await this.#noteWrong(group, key, attempt)
      return found.login
    } catch (error) {
      guess?.giveBack()
      throw error
    }
  }

  /**
   * Called when the queue is full. A recognised login goes to the front. Any other login may use the share of checks
   * that is reserved for its address.
   */
  async #compareDropped<Result>(group: string, attempt: Attempt, compare: () => Promise<Result>) {
    if (group === URGENT) return undefined
    if (await this.#recognised.has(this.#recognised.keyOf(attempt))) return await this.#queue.run(URGENT, compare)
    if (group !== addressBlock(attempt.address) || !(await this.#hasTurn(attempt))) return undefined
    return await this.#queue.run(turnGroup(attempt.address), compare)
  }

  /** If the write fails, this relay still remembers the login, and writes it again at the next login. */
  async #recognise(attempt: Attempt, login: RememberedLogin): Promise<void> {
    const key = this.#recognised.keyOf(attempt)
    await this.#recognised.remember(key, attempt.username, login).catch(() => undefined)
  }

  async #noteWrong(group: string, key: string, attempt: Attempt): Promise<void> {
    this.#remembered.delete(key)
    if (group === URGENT) await this.#recognised.forget(this.#recognised.keyOf(attempt)).catch(() => undefined)
  }
}

function checkOf(key: string, { address }: Attempt): string {
  return `${key} ${addressBlock(address)}`
}

/**
 * Attempts with a reserved check are a separate group. Otherwise, guesses from the same address could push them out of
 * a full queue.
 */
function turnGroup(address: string): string {
  return `turn ${addressBlock(address)}`
}

function tooMany(what: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, `${what}; try again in ${retryAfterSeconds} s`, {
    reason: 'too_many_attempts',
    values: { seconds: retryAfterSeconds },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}
