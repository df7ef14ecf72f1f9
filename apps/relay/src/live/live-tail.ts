// Reads live events in the order of their numbers, as soon as they are committed, and tells them to who listens.
//
// Numbers are given before the commit, so a later one may be there first. At a gap what comes behind it is held back
// until whoever was writing when the gap was seen has ended: then the missing one is there, or will never be.
//
// Idle while nobody listens; starting, until what was being written at the start has ended; then reading: when it is
// woken, and by itself every POLL_MS. A database that is away delays, and loses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log'
import type { Database } from '../store/database.ts'
import { isDatabaseAway } from '../store/database-away.ts'
import { awaitTransactions } from './await-transactions.ts'
import type { LiveEvent } from './live-event.ts'
import { readLastNumber, readLiveEvents } from './live-events-statement.ts'

const POLL_MS = 200
const AWAY_MS = 2_000
const EVENTS_AT_ONCE = 1_000

export interface LiveTailNeeds {
  readonly database: Database
  readonly log: Log
  readonly tell: (event: LiveEvent) => void
  /** False: nobody listens any more. */
  readonly isWanted: () => boolean
}

export class LiveTail {
  readonly #needs: LiveTailNeeds
  #started: Promise<void> | undefined
  #reading: Promise<void> = Promise.resolve()
  #place = 0n
  #pause = new AbortController()
  #isClosed = false

  constructor(needs: LiveTailNeeds) {
    this.#needs = needs
  }

  /** Everything up to here has been told, and nothing behind it. */
  get place(): bigint {
    return this.#place
  }

  /** When it returns, all that is committed from now on will be told. */
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
      this.#place = await readLastNumber(this.#needs.database)
      await awaitTransactions(this.#needs.database, 'writers')
      this.#reading = this.#read()
    } catch (error) {
      this.#started = undefined
      throw error
    }
  }

  async #read(): Promise<void> {
    let isAway = false
    while (!this.#isClosed && this.#needs.isWanted()) {
      this.#pause = new AbortController()
      let pauseMs = POLL_MS
      try {
        while (await this.#readOnce());
        if (isAway) this.#needs.log.info('live events go on')
        isAway = false
      } catch (error) {
        if (!isDatabaseAway(error)) this.#needs.log.error({ err: error }, 'live events cannot be read; tried again')
        else if (!isAway) this.#needs.log.warn('live events wait: the database is away')
        isAway = true
        pauseMs = AWAY_MS
      }
      await sleep(pauseMs, undefined, { signal: this.#pause.signal }).catch(() => undefined)
    }
    this.#started = undefined
  }

  /** True: there may be more. */
  async #readOnce(): Promise<boolean> {
    const { database } = this.#needs
    const found = await readLiveEvents(database, this.#place, EVENTS_AT_ONCE)
    const last = found.at(-1)
    if (!last) return false
    const hasGap = last.id - this.#place !== BigInt(found.length)
    if (hasGap) await awaitTransactions(database, 'writers')
    const settled = hasGap ? await readLiveEvents(database, this.#place, EVENTS_AT_ONCE) : found
    for (const event of settled) {
      if (event.id > last.id) break
      this.#place = event.id
      this.#needs.tell(event)
    }
    return found.length === EVENTS_AT_ONCE
  }
}
