// Reads live events in the order of their numbers as soon as they are committed, and delivers them to the listeners.
//
// Numbers are assigned before the commit, so a higher number may become visible first. At a gap, later events are not
// delivered until every transaction that was writing at that time has ended. Then the missing event is visible, or will
// never exist.
//
// The tail is *idle* without listeners. After `start` it is *starting* until the writes that were running have ended.
// From then on it reads every POLL_MS, and when it is woken. While the database is unavailable, events are delayed but
// not lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import type { Database } from '../store/database.ts'
import { awaitTransactions } from './await-transactions-statement.ts'
import type { StoredLiveEvent } from './read-live-events-statement.ts'
import { readLastNumber, readLiveEvents } from './read-live-events-statement.ts'

const POLL_MS = 200
const RETRY_MS = 2_000
const EVENTS_AT_ONCE = 1_000

export interface LiveTailDeps {
  readonly database: Database
  readonly log: Log
  readonly deliver: (event: StoredLiveEvent) => void
  /** Returns true if there are listeners. */
  readonly isWanted: () => boolean
}

export class LiveTail {
  readonly #deps: LiveTailDeps
  #started: Promise<void> | undefined
  #reading: Promise<void> = Promise.resolve()
  #place = 0n
  #pause = new AbortController()
  #isClosed = false

  constructor(deps: LiveTailDeps) {
    this.#deps = deps
  }

  /** The number of the last event that was delivered. */
  get place(): bigint {
    return this.#place
  }

  /** Starts reading. Every event that is committed after the promise resolves will be delivered. */
  async start(): Promise<void> {
    this.#started ??= this.#begin()
    await this.#started
  }

  wake(): void {
    this.#pause.abort()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.wake()
    await this.#reading
  }

  async #begin(): Promise<void> {
    try {
      await this.#reading
      this.#place = await readLastNumber(this.#deps.database)
      await awaitTransactions(this.#deps.database, 'writers')
      this.#reading = this.#read()
    } catch (error) {
      this.#started = undefined
      throw error
    }
  }

  async #read(): Promise<void> {
    let isUnavailable = false
    while (!this.#isClosed && this.#deps.isWanted()) {
      this.#pause = new AbortController()
      let pauseMs = POLL_MS
      try {
        while (await this.#readOnce());
        if (isUnavailable) this.#deps.log.info('live events resumed: database available')
        isUnavailable = false
      } catch (error) {
        if (!isDatabaseUnavailable(error)) this.#deps.log.error({ err: error }, 'could not read live events, retrying')
        else if (!isUnavailable) this.#deps.log.warn('live events paused: database unavailable, retrying')
        isUnavailable = true
        pauseMs = RETRY_MS
      }
      await sleep(pauseMs, undefined, { signal: this.#pause.signal }).catch(() => undefined)
    }
    this.#started = undefined
  }

  /** Delivers a batch of events. Returns true if there may be more events. */
  async #readOnce(): Promise<boolean> {
    const { database } = this.#deps
    const found = await readLiveEvents(database, this.#place, EVENTS_AT_ONCE)
    const last = found.at(-1)
    if (!last) return false
    const hasGap = last.id - this.#place !== BigInt(found.length)
    if (hasGap) await awaitTransactions(database, 'writers')
    const settled = hasGap ? await readLiveEvents(database, this.#place, EVENTS_AT_ONCE) : found
    for (const event of settled) {
      if (event.id > last.id) break
      this.#place = event.id
      this.#deps.deliver(event)
    }
    return found.length === EVENTS_AT_ONCE
  }
}
