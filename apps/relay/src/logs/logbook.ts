import type { LogEntryAnswer } from '@smsgw/contract/log'
import { cutNumbers, type Log } from '@smsgw/daemon/log'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { isDatabaseAway } from '../store/database-away.ts'
import { type LogRow, storeLogRows } from './store-log-rows-statement.ts'

/** What users read at `GET /logs`. */
export interface Logbook {
  /** Never waits and never fails. Neither text of messages nor secrets; telephone numbers are cut. */
  write(entry: LogbookEntry): void
}

export interface LogbookEntry {
  readonly accountId: string
  readonly deviceId?: string
  readonly module: string
  readonly priority: LogEntryAnswer['priority']
  readonly message: string
  readonly context?: Readonly<Record<string, string>>
}

export interface LogbookOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Entries that wait; beyond, the oldest are dropped. */
  readonly capacity?: number
  /** How long the first entry waits for others to be written with it. */
  readonly lingerMs?: number
  /** After a database that was away. */
  readonly retryMs?: number
}

const ROWS_AT_ONCE = 500
const LONGEST_MESSAGE = 1000

/**
 * Entries gather in memory and are written together: *idle*, nothing waits; *lingering*, a timer runs; *writing*, until
 * nothing waits. A database that is away puts it back to lingering. Entries are lost with the process, or when more than
 * fit come while the database is away; how many, the account is told in an entry of their own.
 */
export class BufferedLogbook implements Logbook {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #capacity: number
  readonly #lingerMs: number
  readonly #retryMs: number
  readonly #dropped = new Map<string, number>()
  #waiting: LogRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor({ database, clock, log, capacity = 10_000, lingerMs = 200, retryMs = 2_000 }: LogbookOptions) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#capacity = capacity
    this.#lingerMs = lingerMs
    this.#retryMs = retryMs
  }

  write({ accountId, deviceId, module, priority, message, context = {} }: LogbookEntry): void {
    this.#waiting.push({
      accountId,
      deviceId,
      createdAt: this.#clock.now(),
      module,
      priority,
      message: cutNumbers(message).slice(0, LONGEST_MESSAGE),
      context: Object.fromEntries(Object.entries(context).map(([name, value]) => [name, cutNumbers(value)])),
    })
    this.#dropOldest()
    this.#linger(this.#lingerMs)
  }

  /** Writes what waits, as far as the database is there. */
  async drain(): Promise<void> {
    await this.#writing
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#write()
  }

  #linger(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#write().then((isWritten) => {
        this.#writing = undefined
        if (this.#waiting.length > 0) this.#linger(isWritten ? this.#lingerMs : this.#retryMs)
      })
    }, ms).unref()
  }

  /** False: the database is away. */
  async #write(): Promise<boolean> {
    while (this.#waiting.length > 0 || this.#dropped.size > 0) {
      const lost = new Map(this.#dropped)
      const rows = this.#waiting.splice(0, ROWS_AT_ONCE)
      try {
        await storeLogRows(this.#database, [...this.#losses(lost), ...rows])
      } catch (error) {
        if (isDatabaseAway(error)) {
          this.#waiting.unshift(...rows)
          this.#dropOldest()
          return false
        }
        this.#log.error({ err: error, entries: rows.length }, 'entries of the logbook cannot be stored: dropped')
      }
      for (const [accountId, count] of lost) this.#forgetLoss(accountId, count)
    }
    return true
  }

  #dropOldest(): void {
    for (const { accountId } of this.#waiting.splice(0, this.#waiting.length - this.#capacity))
      this.#dropped.set(accountId, (this.#dropped.get(accountId) ?? 0) + 1)
  }

  #losses(lost: ReadonlyMap<string, number>): LogRow[] {
    const createdAt = this.#clock.now()
    return [...lost].map(([accountId, count]) => {
      const message = `${count} older entries were dropped: more came than could be stored while the database was away`
      return { accountId, deviceId: undefined, createdAt, module: 'logs', priority: 'WARN', message, context: {} }
    })
  }

  /** More may have been dropped while this was written. */
  #forgetLoss(accountId: string, count: number): void {
    const left = (this.#dropped.get(accountId) ?? 0) - count
    if (left > 0) this.#dropped.set(accountId, left)
    else this.#dropped.delete(accountId)
  }
}
