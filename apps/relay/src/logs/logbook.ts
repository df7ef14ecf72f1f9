import { type LogEntryAnswer, listLogsQuery, logEntry } from '@smsgw/contract/relay/log'
import { type Log, maskNumbers } from '@smsgw/daemon/log/log'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { readAccountSettings } from '../settings/read-settings.ts'
import { expiryTime } from '../settings/retention.ts'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import type { Database } from '../store/database.ts'
import type { LogEntry } from '../store/generated/client.ts'
import { isBeingMade } from '../store/partitions/partitions.ts'
import { type LogRow, storeLogRows } from './store-log-rows-statement.ts'

/** The log of an account, which users read at `GET /logs`. */
export interface Logbook {
  /**
   * Adds an entry. Returns at once and never fails. Entries must contain no message text, no secrets and only shortened
   * phone numbers.
   */
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
  /** The largest number of buffered entries. If there are more, the oldest are dropped. */
  readonly capacity?: number
  /** How long entries are collected before they are written. */
  readonly lingerMs?: number
  /** Pause before a retry while the database is unavailable. */
  readonly retryMs?: number
}

const ROWS_AT_ONCE = 500
const LONGEST_MESSAGE = 1000

/**
 * Buffers entries and writes them in batches. It is *idle* while the buffer is empty, *lingering* while a timer runs,
 * and *writing* until the buffer is empty. If the database is unavailable, it lingers again. Entries are lost if the
 * process is killed, or if too many entries arrive during an outage. In the second case, a later entry contains the
 * number of lost entries.
 */
export class BufferedLogbook implements Logbook {
  readonly #options: LogbookOptions & { readonly capacity: number; readonly lingerMs: number; readonly retryMs: number }
  readonly #dropped = new Map<string, number>()
  #waiting: LogRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(options: LogbookOptions) {
    this.#options = { capacity: 10_000, lingerMs: 200, retryMs: 2_000, ...options }
  }

  write({ accountId, deviceId, module, priority, message, context = {} }: LogbookEntry): void {
    this.#waiting.push({
      accountId,
      deviceId,
      createdAt: this.#options.clock.now(),
      module,
      priority,
      message: maskNumbers(message).slice(0, LONGEST_MESSAGE),
      context: Object.fromEntries(Object.entries(context).map(([name, value]) => [name, maskNumbers(value)])),
    })
    this.#dropOldest()
    this.#linger(this.#options.lingerMs)
  }

  /** Writes the buffered entries, unless the database is unavailable. */
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
        if (this.#waiting.length > 0) this.#linger(isWritten ? this.#options.lingerMs : this.#options.retryMs)
      })
    }, ms).unref()
  }

  /** Writes until the buffer is empty. Returns false when the entries cannot be stored now, but can be stored later. */
  async #write(): Promise<boolean> {
    while (this.#waiting.length > 0 || this.#dropped.size > 0) {
      const lost = new Map(this.#dropped)
      const rows = this.#waiting.splice(0, ROWS_AT_ONCE)
      try {
        await storeLogRows(this.#options.database, [...this.#losses(lost), ...rows])
      } catch (error) {
        if (isDatabaseUnavailable(error) || isBeingMade(error)) {
          this.#waiting.unshift(...rows)
          this.#dropOldest()
          return false
        }
        this.#options.log.error(
          { err: error, entries: rows.length },
          'dropped entries of account logs, because the entries cannot be stored',
        )
      }
      for (const [accountId, count] of lost) this.#forgetLoss(accountId, count)
    }
    return true
  }

  #dropOldest(): void {
    for (const { accountId } of this.#waiting.splice(0, this.#waiting.length - this.#options.capacity))
      this.#dropped.set(accountId, (this.#dropped.get(accountId) ?? 0) + 1)
  }

  #losses(lost: ReadonlyMap<string, number>): LogRow[] {
    const createdAt = this.#options.clock.now()
    return [...lost].map(([accountId, count]) => {
      const message = `${count} older entries dropped: the database was unavailable for too long`
      return { accountId, deviceId: undefined, createdAt, module: 'logs', priority: 'WARN', message, context: {} }
    })
  }

  /**
   * Subtracts the number of reported entries, because more entries may be dropped while this number is being written.
   */
  #forgetLoss(accountId: string, count: number): void {
    const left = (this.#dropped.get(accountId) ?? 0) - count
    if (left > 0) this.#dropped.set(accountId, left)
    else this.#dropped.delete(accountId)
  }
}

const MOST_ENTRIES = 1000

interface ReadLogsDeps {
  readonly database: Database
  readonly clock: Clock
}

/** Lists log entries of the account, newest first. */
export function listLogs(deps: ReadLogsDeps): Endpoint {
  const { database } = deps
  return endpoint({
    query: listLogsQuery,
    answers: { 200: z.array(logEntry) },
    isCompressible: true,
    async handle({ principal: { accountId }, query: { from, to } }) {
      const oldest = await oldestLogTime(deps, accountId)
      const start = from !== undefined && from > oldest ? from : oldest
      const entries = await database.logEntry.findMany({
        where: { accountId, createdAt: { gte: start, ...(to && { lt: to }) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: MOST_ENTRIES,
      })
      return { status: 200, body: entries.map(logEntryAnswer) }
    },
  })
}

/**
 * Expired entries may exist until the partition of their day is dropped. Lists leave out entries that are older than
 * this time.
 */
export async function oldestLogTime({ database, clock }: ReadLogsDeps, accountId: string): Promise<Date> {
  const { settings } = await readAccountSettings(database, accountId)
  return expiryTime(clock, settings.logs.lifetime_days)
}

function logEntryAnswer({ id, createdAt, module, priority, message, context }: LogEntry): LogEntryAnswer {
  return {
    id,
    createdAt: createdAt.toISOString(),
    module,
    priority: priority as LogEntryAnswer['priority'],
    message,
    ...(context !== null && { context: context as Record<string, string> }),
  }
}
