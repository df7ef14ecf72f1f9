import { setTimeout as sleep } from 'node:timers/promises'
import type { Statements } from '../store/database.ts'

const PAUSE_MS = 10

/**
 * Waits for the end of every transaction that is now writing events (`writers`), or that has looked whether its accounts
 * are watched (`lookers`). They hold their locks of a table to their end, and are seen by them: unlike by the oldest
 * transaction number, for which any transaction of any database on the server would be waited. Ours end within seconds.
 */
export async function awaitTransactions(statements: Statements, which: 'writers' | 'lookers'): Promise<void> {
  let waitedFor = await readTransactions(statements, which)
  while (waitedFor.length > 0) {
    await sleep(PAUSE_MS)
    const present = new Set(await readTransactions(statements, which))
    waitedFor = waitedFor.filter((one) => present.has(one))
  }
}

async function readTransactions(statements: Statements, which: 'writers' | 'lookers'): Promise<string[]> {
  const [table, mode] = TABLES[which]
  const rows = await statements.$queryRaw<{ transaction: string }[]>`
    SELECT DISTINCT virtualtransaction AS transaction FROM pg_locks
    WHERE locktype = 'relation' AND relation = ${table}::regclass AND mode = ${mode} AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  return rows.map(({ transaction }) => transaction)
}

const TABLES = {
  writers: ['live_events', 'RowExclusiveLock'],
  lookers: ['live_accounts', 'AccessShareLock'],
} as const
