import type { Log } from '@smsgw/daemon/log/log'
import type { WakeHints } from '../hints/wake-hints.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'
import { awaitTransactions } from './await-transactions-statement.ts'
import { LiveTail } from './live-tail.ts'
import type { StoredLiveEvent } from './read-live-events-statement.ts'
import { extendWatch, type Watched, watchAccount } from './watch-account-statement.ts'

const EXTEND_EVERY_MS = 5 * 60_000

export interface LiveListener {
  readonly accountId: string
  /** Called once for each later event, in order. */
  deliver(event: StoredLiveEvent): void
  /** Called when the relay is shutting down. */
  end(): void
}

export interface LiveEventsDeps {
  readonly database: Database
  readonly log: Log
  readonly hints: Pick<WakeHints, 'listen'>
}

/** Delivers the events of accounts, from all relays, to the clients connected here. */
export class LiveEvents {
  readonly #deps: LiveEventsDeps
  readonly #listeners = new Map<string, Set<LiveListener>>()
  readonly #tail: LiveTail
  readonly #endHints: () => void
  readonly #extending: NodeJS.Timeout
  #preparing = 0
  #isClosed = false

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps
    this.#tail = new LiveTail({
      ...deps,
      deliver: (event) => {
        for (const listener of this.#listeners.get(event.accountId) ?? []) listener.deliver(event)
      },
      isWanted: () => this.#listeners.size > 0 || this.#preparing > 0,
    })
    // Any hint wakes the reader, because most changes publish a hint.
    this.#endHints = deps.hints.listen(() => {
      if (this.#listeners.size > 0) this.#tail.wake()
      return undefined
    })
    this.#extending = setInterval(() => void this.#keepWatching(), EXTEND_EVERY_MS).unref()
  }

  /** The number of the last event that was delivered; all earlier events were delivered too. */
  get place(): bigint {
    return this.#tail.place
  }

  countOf(accountId: string): number {
    return this.#listeners.get(accountId)?.size ?? 0
  }

  /**
   * Ensures that every later change of the account becomes an event, then calls `begin`. `begin` can then read the
   * present state and start to listen without missing a change. Returns undefined when the account does not exist.
   */
  async prepare<Begun>(accountId: string, begin: (watched: Watched) => Promise<Begun>): Promise<Begun | undefined> {
    this.#preparing += 1
    try {
      const watched = await watchAccount(this.#deps.database, accountId)
      if (!watched) return undefined
      await this.#tail.start()
      // Waits for the transactions that began before the account was watched, because they may change the account
      // without writing an event.
      if (watched.isNew) await awaitTransactions(this.#deps.database, 'lookers')
      if (this.#isClosed)
        throw new ApiError(503, 'This relay is shutting down: try again', { headers: { 'Retry-After': '1' } })
      return await begin(watched)
    } finally {
      this.#preparing -= 1
    }
  }

  /** Starts to listen at the present position. Returns the function that stops listening. */
  listen(listener: LiveListener): () => void {
    const { accountId } = listener
    const ofAccount = this.#listeners.get(accountId) ?? new Set()
    this.#listeners.set(accountId, ofAccount.add(listener))
    return () => {
      ofAccount.delete(listener)
      if (ofAccount.size === 0) this.#listeners.delete(accountId)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endHints()
    clearInterval(this.#extending)
    for (const listener of [...this.#listeners.values()].flatMap((ofAccount) => [...ofAccount])) listener.end()
    await this.#tail.close()
  }

  async #keepWatching(): Promise<void> {
    try {
      if (this.#listeners.size > 0) await extendWatch(this.#deps.database, [...this.#listeners.keys()])
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'live events may be late: the database is unavailable, retrying')
    }
  }
}
