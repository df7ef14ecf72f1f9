// Keeps the numbers of received messages and webhook deliveries, so that their lists show a total without counting
// rows. Triggers record each difference in the transaction that causes it. So the sum of counts and recorded changes is
// exact at every moment.
import type { Log } from '@smsgw/daemon/log/log'
import { connectRawDatabase, type Database, limitedSocket } from '../database.ts'
import { type RawStatements, rawTransaction } from '../raw-statements.ts'
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

export interface ListCountDeps {
  readonly database: Database
  /** The URL for connections outside the pool. */
  readonly url: string
  /** Ends the counting when it aborts. */
  readonly stopping?: AbortSignal | undefined
}

/**
 * Counts existing rows, once, and adds recorded changes to the counts, even if the rows cannot be counted. An aborted
 * or concurrent run does no harm.
 */
export async function updateListCounts(deps: ListCountDeps): Promise<void> {
  const { database } = deps
  try {
    const counted = await database.listCountProgress.findMany({ where: { isCounted: true } })
    for (const list of lists) {
      if (counted.some((one) => one.list === list)) continue
      await correctList(deps, list)
      await database.listCountProgress.update({ where: { list }, data: { isCounted: true } })
    }
  } finally {
    while ((await addListChanges(database, PORTION)) === PORTION);
  }
}

/**
 * Compares the counts with the rows, corrects wrong counts and logs how many were wrong. A count is wrong only if rows
 * were changed while triggers were disabled. An aborted or concurrent run does no harm.
 */
export async function checkListCounts({
  log,
  ...deps
}: ListCountDeps & { readonly log: Pick<Log, 'warn'> }): Promise<void> {
  const { database } = deps
  for (const list of lists) {
    // Asked first: if another relay counts the existing rows meanwhile, the differences are rows that were not counted
    // yet.
    const progress = await database.listCountProgress.findUnique({ where: { list } })
    const wrong = await correctList(deps, list)
    if (wrong > 0 && progress?.isCounted) log.warn({ list, counts: wrong }, 'corrected wrong counts of a list')
  }
  await deleteEmptyListCounts(database)
}

/**
 * Uses a connection of its own. A connection of the pool is given up after 40 s without traffic, and counting many rows
 * takes longer.
 */
async function correctList({ database, url, stopping }: ListCountDeps, list: CountedList): Promise<number> {
  const ended = new AbortController()
  const counting = connectRawDatabase({
    url,
    connections: 1,
    socket() {
      const socket = limitedSocket(COUNTING_MS)
      stopping?.addEventListener('abort', () => socket.destroy(), { signal: ended.signal })
      return socket
    },
    transactionLimits: { maxWait: CONNECTION_MS, timeout: COUNTING_MS },
  })
  try {
    let wrong = 0
    await rawTransaction(counting, (statements) => lockListProgress(statements, list), COUNTING_MS)
    for (const owner of await ownersOf(database, list)) {
      stopping?.throwIfAborted()
      const correct = async (statements: RawStatements) => {
        await lockListProgress(statements, list)
        return await correctListCounts(statements, list, owner)
      }
      wrong += await rawTransaction(counting, correct, COUNTING_MS)
    }
    return wrong
  } finally {
    ended.abort()
    await counting.$disconnect()
  }
}

const CONNECTION_MS = 5_000
