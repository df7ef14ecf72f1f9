import type { Log } from '@smsgw/daemon/log/log'
import { BoundedMap } from '../../limits/bounded-map.ts'
import type { Claim } from '../claims/claim.ts'
import { ClaimLookup } from './claim-lookup.ts'
import type { Cell, FoundClaims, Placement } from './directory.ts'

const POLL_MS = 200
/** How often a router reports that it runs, if nothing changes. */
const REPORT_EVERY_MS = 2_000
const SIZE = 100_000
/** The longest name of credentials, in characters. */
const LONGEST_NAME = 256

/** The access to the directory, which tests replace. */
export interface DirectoryAccess {
  find(claims: readonly Claim[]): Promise<FoundClaims>
  drainFeeds(): Promise<boolean>
  readChange(): Promise<number>
  readChanged(after: number): Promise<Placement[]>
  readMoving(): Promise<Placement[]>
  readCells(): Promise<Cell[]>
  recordSeen(seen: number): Promise<void>
}

export interface PlacementsDeps {
  readonly directory: DirectoryAccess
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Receives the cells when they change. */
  readonly onCells: (cells: readonly Cell[]) => void
  readonly nowMs: () => number
}

/** A request or connection of an account that is in progress at this router. */
export interface Work {
  /** Ends the work soon, because the account is moving. The work must call `leave` when it has ended. */
  readonly end: () => void
}

/**
 * What a router knows about accounts: their cell, and whether they are moving.
 *
 * The router reads the number of the last change five times a second, and then the changed accounts. It reports a
 * change as seen when all requests and connections of the accounts that are moving have ended. From then on, it sends
 * nothing of these accounts to a cell until the move has ended. While the directory is unavailable, known accounts stay
 * where they are, and no move can begin, because a move waits for the report of each router.
 */
export class Placements {
  readonly #deps: PlacementsDeps
  readonly #lookup: ClaimLookup
  readonly #cells = new BoundedMap<string, { readonly cell: string }>(SIZE)
  readonly #moving = new Map<string, PromiseWithResolvers<void>>()
  readonly #work = new Map<string, Set<Work>>()
  #seen = 0
  #reported = 0
  #reportedMs = Number.NEGATIVE_INFINITY
  #readMs = Number.NEGATIVE_INFINITY
  #isUnavailable = false
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: PlacementsDeps) {
    this.#deps = deps
    const { directory, nowMs } = deps
    this.#lookup = new ClaimLookup({
      find: (claims) => directory.find(claims),
      drainFeeds: () => directory.drainFeeds(),
      onFound: (placement, change) => this.#store(placement, change),
      nowMs,
      size: SIZE,
    })
  }

  /** Reads the cells and the accounts that are moving, and begins to poll. */
  async start(): Promise<void> {
    await this.#read(await this.#deps.directory.readChange(), true)
    await this.#report()
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const { resolve } of this.#moving.values()) resolve()
    await this.#polling
  }

  /** The number of milliseconds since the directory was last read. */
  get ageMs(): number {
    return this.#deps.nowMs() - this.#readMs
  }

  /**
   * Returns the account of the first claim that is known. Throws if the directory is unavailable and the answer is not
   * cached.
   */
  async accountOf(
    claims: readonly Claim[],
  ): Promise<{ accountId: string } | { accountId: undefined; isCertain: boolean }> {
    let isCertain = true
    for (const claim of claims) {
      // PostgreSQL refuses such a name, together with all names of the same query. No relay accepts it either.
      if (claim.name.length > LONGEST_NAME || claim.name.includes('\0')) continue
      const result = await this.#lookup.get(claim)
      if (result.accountId !== undefined) return result
      isCertain &&= result.isCertain
    }
    return { accountId: undefined, isCertain }
  }

  /** Returns the cell of an account. Undefined if the account is moving, or was removed. */
  async cellOf(accountId: string): Promise<string | undefined> {
    if (this.#moving.has(accountId)) return undefined
    const known = this.#cells.get(accountId)
    if (known !== undefined) return known.cell
    const claim = { kind: 'account', name: accountId } as const
    const { placements, change } = await this.#deps.directory.find([claim])
    const placement = placements.get(claim)
    if (placement === undefined) return undefined
    this.#store(placement, change)
    return placement.isMoving ? undefined : placement.cell
  }

  isMoving(accountId: string): boolean {
    return this.#moving.has(accountId)
  }

  /** Resolves when the account is no longer moving, or after the time limit. */
  async untilMoved(accountId: string, limitMs: number): Promise<void> {
    const moving = this.#moving.get(accountId)
    if (moving === undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, limitMs)
    await Promise.race([moving.promise, promise])
    clearTimeout(timer)
  }

  /**
   * Registers work of an account in this cell. Returns the function that ends the registration, or undefined if the
   * account is no longer known to be in this cell. Must be called immediately before the first byte is sent to the
   * cell.
   */
  enter(accountId: string, cell: string, work: Work): (() => void) | undefined {
    if (this.#moving.has(accountId) || this.#cells.get(accountId)?.cell !== cell) return undefined
    const all = this.#work.get(accountId) ?? new Set()
    this.#work.set(accountId, all.add(work))
    return () => {
      all.delete(work)
      if (all.size > 0 || this.#work.get(accountId) !== all) return
      this.#work.delete(accountId)
      if (this.#moving.has(accountId)) this.#pollSoon()
    }
  }

  #store({ accountId, cell, isMoving }: Placement, change: number): void {
    // The answer may be older than the changes that were read meanwhile.
    if (change < this.#seen) return
    if (isMoving) this.#startMove(accountId)
    else if (!this.#moving.has(accountId)) this.#cells.set(accountId, { cell })
  }

  #startMove(accountId: string): void {
    this.#cells.delete(accountId)
    if (!this.#moving.has(accountId)) this.#moving.set(accountId, Promise.withResolvers<void>())
    for (const work of this.#work.get(accountId) ?? []) work.end()
  }

  #endMove({ accountId, cell }: Placement): void {
    this.#cells.set(accountId, { cell })
    this.#moving.get(accountId)?.resolve()
    this.#moving.delete(accountId)
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.#pollSoon(), POLL_MS)
  }

  #pollSoon(): void {
    clearTimeout(this.#timer)
    this.#polling = this.#polling.then(() => this.#poll())
  }

  async #poll(): Promise<void> {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    try {
      const change = await this.#deps.directory.readChange()
      if (change > this.#seen) await this.#read(change, false)
      this.#readMs = this.#deps.nowMs()
      await this.#report()
      if (this.#isUnavailable) this.#deps.log.info('directory available')
      this.#isUnavailable = false
    } catch (error) {
      if (!this.#isUnavailable)
        this.#deps.log.warn({ err: error }, 'directory unavailable, retrying; known accounts are still routed')
      this.#isUnavailable = true
    }
    this.#schedule()
  }

  async #read(change: number, isFirst: boolean): Promise<void> {
    const { directory, onCells, nowMs } = this.#deps
    const changed = isFirst ? await directory.readMoving() : await directory.readChanged(this.#seen)
    onCells(await directory.readCells())
    for (const placement of changed) {
      if (placement.isMoving) this.#startMove(placement.accountId)
      else this.#endMove(placement)
    }
    // The rows may be newer than the change, but never older.
    this.#seen = change
    this.#readMs = nowMs()
  }

  /** Reports the last change as seen, unless work of an account that is moving has not ended. */
  async #report(): Promise<void> {
    const isDrained = [...this.#moving.keys()].every((accountId) => !this.#work.has(accountId))
    const nowMs = this.#deps.nowMs()
    const seen = isDrained ? this.#seen : this.#reported
    if (seen === this.#reported && nowMs - this.#reportedMs < REPORT_EVERY_MS) return
    await this.#deps.directory.recordSeen(seen)
    this.#reported = seen
    this.#reportedMs = nowMs
  }
}
