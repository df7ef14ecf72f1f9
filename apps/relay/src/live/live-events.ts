import type { Log } from '@smsgw/daemon/log'
import type { WakeHints } from '../agents/wake-hints.ts'
import { ApiError } from '../http/api-error.ts'
import type { Database } from '../store/database.ts'
import { awaitTransactions } from './await-transactions.ts'
import type { LiveEvent } from './live-event.ts'
import { LiveTail } from './live-tail.ts'
import { goOnWatching, type Watched, watch } from './watch-statement.ts'

const GO_ON_MS = 5 * 60_000

export interface Listener {
  readonly accountId: string
  /** In order, each once; those that happened after it began to listen. */
  tell(event: LiveEvent): void
  /** The relay is about to end. */
  end(): void
}

export interface LiveEventsNeeds {
  readonly database: Database
  readonly log: Log
  readonly hints: Pick<WakeHints, 'listen'>
}

/** What happens in accounts, on whichever relay, for those who watch here. */
export class LiveEvents {
  readonly #needs: LiveEventsNeeds
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #tail: LiveTail
  readonly #endHints: () => void
  readonly #goOn: NodeJS.Timeout
  #preparing = 0
  #isClosed = false

  constructor(needs: LiveEventsNeeds) {
    this.#needs = needs
    this.#tail = new LiveTail({
      ...needs,
      tell: (event) => {
        for (const listener of this.#listeners.get(event.accountId) ?? []) listener.tell(event)
      },
      isWanted: () => this.#listeners.size > 0 || this.#preparing > 0,
    })
    // Whatever they are about: most changes come with one.
    this.#endHints = needs.hints.listen(() => {
      if (this.#listeners.size > 0) this.#tail.wake()
      return undefined
    })
    this.#goOn = setInterval(() => void this.#keepWatching(), GO_ON_MS).unref()
  }

  /** Everything up to here has been told to those who listen. */
  get place(): bigint {
    return this.#tail.place
  }

  countOf(accountId: string): number {
    return this.#listeners.get(accountId)?.size ?? 0
  }

  /**
   * Makes sure that what changes from now on is told to who listens when `begin` is called: it may read what there is
   * afterwards, and miss nothing. Undefined: the account is gone.
   */
  async prepare<Begun>(accountId: string, begin: (watched: Watched) => Promise<Begun>): Promise<Begun | undefined> {
    this.#preparing += 1
    try {
      const watched = await watch(this.#needs.database, accountId)
      if (!watched) return undefined
      await this.#tail.start()
      // Who changes something now may have looked before the account was watched, and tell nothing of it.
      if (watched.isNew) await awaitTransactions(this.#needs.database, 'lookers')
      if (this.#isClosed)
        throw new ApiError(503, 'This relay is about to end: ask again', { headers: { 'Retry-After': '1' } })
      return await begin(watched)
    } finally {
      this.#preparing -= 1
    }
  }

  /** From the present place on. Returns what ends it. */
  listen(listener: Listener): () => void {
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
    clearInterval(this.#goOn)
    for (const listener of [...this.#listeners.values()].flatMap((ofAccount) => [...ofAccount])) listener.end()
    await this.#tail.close()
  }

  async #keepWatching(): Promise<void> {
    try {
      if (this.#listeners.size > 0) await goOnWatching(this.#needs.database, [...this.#listeners.keys()])
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'live events: the watched accounts could not be noted; tried again')
    }
  }
}
