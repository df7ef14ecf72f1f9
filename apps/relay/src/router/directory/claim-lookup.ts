import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../../limits/bounded-map.ts'
import { type Claim, claimKey } from '../claims/claim.ts'
import type { FoundClaims, Placement } from './directory.ts'

/** How long a found credential is cached. Its account never changes, and the relay checks whether it is still valid. */
const KNOWN_MS = 60_000
/**
 * How long an unknown credential is cached. A new credential works immediately, unless a client already sent it shortly
 * before it was created.
 */
const UNKNOWN_MS = 2_000
/** How long an unknown credential is cached if a cell could not be read. */
const UNCERTAIN_MS = 300
/** The shortest time between two searches for new credentials, whatever the number of unknown credentials is. */
const SEARCH_EVERY_MS = 50
const CLAIMS_AT_ONCE = 500
/** The largest number of claims that wait for a query. */
const MOST_WAITING = 20_000

export interface ClaimLookupDeps {
  readonly find: (claims: readonly Claim[]) => Promise<FoundClaims>
  /** Moves new credentials of the cells to the directory. Returns false if a cell could not be read. */
  readonly drainFeeds: () => Promise<boolean>
  /** Receives each placement that a query found, with the number of the last change that the query saw. */
  readonly onFound: (placement: Placement, change: number) => void
  readonly nowMs: () => number
  /** The largest number of cached credentials. Unknown credentials are cached separately, up to the same number. */
  readonly size: number
}

/**
 * The account of a credential. `isCertain` is false if a cell could not be read, because the credential may exist in
 * that cell.
 */
export type ClaimResult =
  | { readonly accountId: string }
  | { readonly accountId: undefined; readonly isCertain: boolean }

/** Thrown if too many credentials wait for the directory. */
export class TooManyLookups extends Error {}

/**
 * Finds the accounts of credentials. Concurrent look-ups share one query. Credentials that the directory does not know
 * share one search for new credentials, and then a second query. So a flood of unknown credentials causes at most one
 * search in 50 ms, and does not delay known credentials.
 */
export class ClaimLookup {
  readonly #deps: ClaimLookupDeps
  readonly #known: BoundedMap<string, { readonly accountId: string; readonly untilMs: number }>
  readonly #unknown: BoundedMap<string, { readonly isCertain: boolean; readonly untilMs: number }>
  readonly #first: Batches
  readonly #second: Batches
  #searchedMs = Number.NEGATIVE_INFINITY

  constructor(deps: ClaimLookupDeps) {
    this.#deps = deps
    this.#known = new BoundedMap(deps.size)
    this.#unknown = new BoundedMap(deps.size)
    this.#first = new Batches((batch) => this.#ask(batch, (missing) => this.#second.add(missing)))
    this.#second = new Batches((batch) => this.#searchAndAsk(batch))
  }

  async get(claim: Claim): Promise<ClaimResult> {
    const key = claimKey(claim)
    const nowMs = this.#deps.nowMs()
    const known = this.#known.get(key)
    if (known !== undefined && nowMs < known.untilMs) return { accountId: known.accountId }
    const unknown = this.#unknown.get(key)
    if (unknown !== undefined && nowMs < unknown.untilMs) return { accountId: undefined, isCertain: unknown.isCertain }
    return await this.#first.join(key, claim)
  }

  async #ask(batch: readonly Waiting[], onMissing: (missing: readonly Waiting[]) => void): Promise<void> {
    const { placements, change } = await this.#deps.find(batch.map(({ claim }) => claim))
    const untilMs = this.#deps.nowMs() + KNOWN_MS
    const missing = batch.filter(({ key, claim, resolve }) => {
      const placement = placements.get(claim)
      if (placement === undefined) return true
      this.#deps.onFound(placement, change)
      const { accountId } = placement
      this.#known.set(key, { accountId, untilMs })
      resolve({ accountId })
      return false
    })
    onMissing(missing)
  }

  async #searchAndAsk(batch: readonly Waiting[]): Promise<void> {
    await sleep(Math.max(0, this.#searchedMs + SEARCH_EVERY_MS - performance.now()))
    this.#searchedMs = performance.now()
    const isCertain = await this.#deps.drainFeeds()
    await this.#ask(batch, (missing) => {
      const untilMs = this.#deps.nowMs() + (isCertain ? UNKNOWN_MS : UNCERTAIN_MS)
      for (const { key, resolve } of missing) {
        this.#unknown.set(key, { isCertain, untilMs })
        resolve({ accountId: undefined, isCertain })
      }
    })
  }
}

interface Waiting extends PromiseWithResolvers<ClaimResult> {
  readonly key: string
  readonly claim: Claim
}

/** Runs the work for waiting claims, one batch at a time. */
class Batches {
  readonly #work: (batch: readonly Waiting[]) => Promise<void>
  readonly #waiting = new Map<string, Waiting>()
  #isRunning = false

  constructor(work: (batch: readonly Waiting[]) => Promise<void>) {
    this.#work = work
  }

  /** Adds a claim to the next query. If the same claim was already added, returns the result of that claim. */
  join(key: string, claim: Claim): Promise<ClaimResult> {
    const same = this.#waiting.get(key)
    if (same !== undefined) return same.promise
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(new TooManyLookups('too many look-ups are waiting'))
    const waiting = { key, claim, ...Promise.withResolvers<ClaimResult>() }
    this.add([waiting])
    return waiting.promise
  }

  add(more: readonly Waiting[]): void {
    for (const one of more) {
      const same = this.#waiting.get(one.key)
      if (same !== undefined) same.promise.then(one.resolve, one.reject)
      else if (this.#waiting.size >= MOST_WAITING) one.reject(new TooManyLookups('too many look-ups are waiting'))
      else this.#waiting.set(one.key, one)
    }
    if (this.#isRunning || this.#waiting.size === 0) return
    this.#isRunning = true
    // Starts later, so that all claims of this turn of the event loop share the query.
    queueMicrotask(() => void this.#run())
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.values()].slice(0, CLAIMS_AT_ONCE)
      for (const { key } of batch) this.#waiting.delete(key)
      try {
        await this.#work(batch)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isRunning = false
  }
}
