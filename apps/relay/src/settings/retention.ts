import type { Settings } from '@smsgw/contract/relay/settings'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import type { PeriodicJob } from '../store/run-periodic-jobs.ts'
import { type OwnSettings, withDefaults } from './merge-settings.ts'

export interface RetentionRule {
  readonly name: string
  /** Returns the retention time in the settings of an account. */
  readonly days: (settings: Settings) => number
  /**
   * Deletes at most `limit` rows that are older than `before` and returns their number. Zero means that none is left.
   */
  readonly deleteOlder: (database: Database, accountId: string, before: Date, limit: number) => Promise<number>
  /**
   * For a table with partitions: returns the longest retention of all accounts. When the partition of a day is dropped,
   * the rows with this retention disappear with it. So a run deletes at most MOST_DROPPED_ROWS such rows one by one.
   * Lists must leave out expired rows.
   */
  readonly longestDays?: (database: Database) => Promise<number>
}

interface RetentionDeps {
  readonly database: Database
  readonly clock: Clock
  readonly mostDroppedRows?: number
}

const EVERY_SECONDS = 3600
const ACCOUNTS_AT_ONCE = 50
/** The number of rows per statement. It is small enough for short locks, and large enough for any account. */
const ROWS_AT_ONCE = 1000
/**
 * A run can delete this number of rows within seconds. If there are more rows, it is faster to wait until their
 * partition is dropped.
 */
const MOST_DROPPED_ROWS = 100_000
const DAY_MS = 86_400_000

/** Returns a job that deletes expired rows of all accounts. Each account has its own retention setting. */
export function retentionJob(
  { database, clock, mostDroppedRows = MOST_DROPPED_ROWS }: RetentionDeps,
  { name, days, deleteOlder, longestDays }: RetentionRule,
): PeriodicJob {
  return {
    name,
    everySeconds: EVERY_SECONDS,
    async run() {
      const longest = await longestDays?.(database)
      let dropped = 0
      for await (const { id, settings } of everyAccount(database)) {
        const before = expiryTime(clock, days(settings))
        const isDropped = days(settings) === longest
        let deleted = 0
        do {
          deleted = await deleteOlder(database, id, before, ROWS_AT_ONCE)
          if (isDropped) dropped += deleted
        } while (deleted > 0 && !(isDropped && dropped >= mostDroppedRows))
      }
    },
  }
}

/** Rows that are older than this time have expired. */
export function expiryTime(clock: Clock, days: number): Date {
  return new Date(clock.now().getTime() - days * DAY_MS)
}

async function* everyAccount(database: Database): AsyncGenerator<{ id: string; settings: Settings }> {
  let last = ''
  for (;;) {
    const accounts = await database.account.findMany({
      where: { id: { gt: last } },
      orderBy: { id: 'asc' },
      take: ACCOUNTS_AT_ONCE,
      select: { id: true, settings: true },
    })
    for (const { id, settings } of accounts) yield { id, settings: withDefaults(settings as OwnSettings) }
    const end = accounts.at(-1)
    if (end === undefined) return
    last = end.id
  }
}
