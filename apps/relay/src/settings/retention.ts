import type { Settings } from '@smsgw/contract/relay/settings'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import type { PeriodicJob } from '../store/run-periodic-jobs.ts'
import { type OwnSettings, withDefaults } from './merge-settings.ts'

export interface RetentionRule {
  readonly name: string
  /** Returns the retention time in the settings of an account. */
  readonly days: (settings: Settings) => number
  /** Deletes at most `limit` rows that are older than `before` and returns their number. Zero means that none is left. */
  readonly deleteOlder: (database: Database, accountId: string, before: Date, limit: number) => Promise<number>
}

const EVERY_SECONDS = 3600
const ACCOUNTS_AT_ONCE = 50
/** The number of rows per statement. It is small enough for short locks, and large enough for any account. */
const ROWS_AT_ONCE = 1000
const DAY_MS = 86_400_000

/** Returns a job that deletes expired rows of all accounts. Each account has its own retention setting. */
export function retentionJob(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { name, days, deleteOlder }: RetentionRule,
): PeriodicJob {
  return {
    name,
    everySeconds: EVERY_SECONDS,
    async run() {
      for await (const { id, settings } of everyAccount(database)) {
        const before = new Date(clock.now().getTime() - days(settings) * DAY_MS)
        let deleted: number
        do deleted = await deleteOlder(database, id, before, ROWS_AT_ONCE)
        while (deleted > 0)
      }
    },
  }
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
