import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const PAUSE_MS = 10

/**
 * Waits for the end of every present transaction that writes live events (`writers`), messages (`senders`) or received
 * messages (`receivers`), or that has checked whether its accounts are watched (`lookers`). Such a transaction holds a
 * table lock until it ends, which `pg_locks` shows. This is better than waiting for the oldest transaction number,
 * which would include the transactions of every database on the server. The transactions of the relay end within
 * seconds. Takes no locks.
 */
export async function awaitTransactions(statements: Statements, which: keyof typeof TABLES): Promise<void> {
  let waitedFor = await readTransactions(statements, which)
  while (waitedFor.length > 0) {
    await sleep(PAUSE_MS)
    const present = new Set(await readTransactions(statements, which))
    waitedFor = waitedFor.filter((one) => present.has(one))
  }
}

async function readTransactions(statements: Statements, which: keyof typeof TABLES): Promise<string[]> {
  const [table, mode] = TABLES[which]
  const rows = await readRows(
    statements,
    transactionRow,
    Prisma.sql`
    SELECT DISTINCT virtualtransaction AS transaction FROM pg_locks
    WHERE locktype = 'relation' AND relation = ${table}::regclass AND mode = ${mode} AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return rows.flatMap(({ transaction }) => transaction ?? [])
}

const TABLES = {
  writers: ['live_events', 'RowExclusiveLock'],
  lookers: ['live_accounts', 'AccessShareLock'],
  senders: ['messages', 'RowExclusiveLock'],
  receivers: ['inbox', 'RowExclusiveLock'],
} as const

const transactionRow = z.object({ transaction: z.string().nullable() })
