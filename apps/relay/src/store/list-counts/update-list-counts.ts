// Keeps the numbers of received messages and webhook deliveries, so that their lists show a total without counting
// rows. Triggers record each difference in the transaction that causes it. So the sum of counts and recorded changes is
// exact at every moment.
import type { Log } from '@smsgw/daemon/log/log'
import type { Database } from '../database.ts'
import {
  addListChanges,
  COUNTING_MS,
  type CountedList,
  correctListCounts,
  deleteEmptyListCounts,
  lists,
  lockListProgress,
  ownersOf,
} from './list-counts-statement.ts'

/** The number of changes per statement. */
const PORTION = 10_000

/** Counts existing rows, once, and adds recorded changes to the counts. An aborted or concurrent run does no harm. */
export async function updateListCounts(database: Database): Promise<void> {
  const counted = await database.listCountProgress.findMany({ where: { isCounted: true } })
  for (const list of lists) {
    if (counted.some((one) => one.list === list)) continue
    await correctList(database, list)
    await database.listCountProgress.update({ where: { list }, data: { isCounted: true } })
  }
  while ((await addListChanges(database, PORTION)) === PORTION);
}

/**
 * Compares the counts with the rows, corrects wrong counts and logs how many were wrong. A count is wrong only if rows
 * were changed while triggers were disabled. An aborted or concurrent run does no harm.
 */
export async function checkListCounts({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Pick<Log, 'warn'>
}): Promise<void> {
  for (const list of lists) {
    const wrong = await correctList(database, list)
    const { isCounted } = await database.listCountProgress.findUniqueOrThrow({ where: { list } })
    if (wrong > 0 && isCounted) log.warn({ list, counts: wrong }, 'corrected wrong counts of a list')
  }
  await deleteEmptyListCounts(database)
}

async function correctList(database: Database, list: CountedList): Promise<number> {
  let wrong = 0
  await database.$transaction((statements) => lockListProgress(statements, list))
  for (const owner of await ownersOf(database, list))
    wrong += await database.$transaction(
      async (statements) => {
        await lockListProgress(statements, list)
        return await correctListCounts(statements, list, owner)
      },
      { timeout: COUNTING_MS },
    )
  return wrong
}
