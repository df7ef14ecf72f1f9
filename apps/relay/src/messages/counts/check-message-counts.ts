import type { Log } from '@smsgw/daemon/log/log'
import type { Database, Statements } from '../../store/database.ts'
import { correctCounts, correctTotals, deleteEmptyCounts, nextDayToCheck } from './correct-counts-statement.ts'
import { lockCountProgress } from './update-counts-statement.ts'

const FIRST_DAY = new Date('0001-01-01T00:00:00Z')
/** The period that one statement compares. A week is short enough for the statement timeout. */
const PERIOD_MS = 7 * 86_400_000

/**
 * Compares the stored counts with the messages, corrects wrong counts and logs how many were wrong. A count is wrong
 * only if rows were changed while triggers were disabled. An aborted or concurrent run does no harm.
 */
export async function checkMessageCounts({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Pick<Log, 'warn'>
}): Promise<void> {
  const locked = <T>(work: (statements: Statements, counted: bigint) => Promise<T>) =>
    database.$transaction(async (statements) => await work(statements, await lockCountProgress(statements)), {
      timeout: 30_000,
    })
  let wrong = await locked(correctTotals)
  await locked(deleteEmptyCounts)
  for (const { id: accountId } of await database.account.findMany({ select: { id: true } })) {
    let from = await nextDayToCheck(database, accountId, FIRST_DAY)
    while (from !== undefined) {
      const period = { accountId, from, to: new Date(from.getTime() + PERIOD_MS) }
      wrong += await locked((statements, counted) => correctCounts(statements, { ...period, counted }))
      from = await nextDayToCheck(database, accountId, period.to)
    }
  }
  if (wrong > 0) log.warn({ counts: wrong }, 'corrected wrong message counts')
}
