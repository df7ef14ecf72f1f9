// Compares a relay whose database is empty with a relay whose database has a history.
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDatabase, type PostgresSettings, withBenchDatabase } from '../bench-database.ts'
import { type BenchRelays, withBenchRelays } from '../bench-relays.ts'
import { fillLists, type HistoryList } from './fill-lists.ts'
import { type HistorySizes, type KeptHistory, openKeptHistory } from './kept-history.ts'

export interface HistorySide {
  readonly name: string
  readonly database: BenchDatabase
  readonly relays: BenchRelays
}

interface Sizes {
  readonly lists: readonly HistoryList[]
  /** The number of rows of each list. */
  readonly rows: number
  /** The same for the other side, which has no messages. */
  readonly fewRows?: number
  /** Keeps the filled database in this folder, or uses it again. */
  readonly keep?: string | undefined
  /** Settings of PostgreSQL that differ from those of a gateway. */
  readonly postgres?: PostgresSettings | undefined
}

/** Starts one relay with an empty database and one with a filled database. `main` is the entry point of their build. */
export async function withEmptyAndFilled(
  { lists, rows, fewRows = 0, keep, postgres = {} }: Sizes,
  main: string | undefined,
  work: (empty: HistorySide, filled: HistorySide) => Promise<void>,
): Promise<void> {
  type Use = (side: Omit<HistorySide, 'name'>) => Promise<void>
  const start = (sizes: HistorySizes, kept: KeptHistory | undefined, use: Use) =>
    withBenchDatabase(
      (database) =>
        withBenchRelays(database, 1, (relays) => use({ database, relays }), {
          main,
          ...(kept !== undefined && { secrets: kept.secrets }),
          prepare: async (owner) => {
            if (kept?.isFilled) return
            await fillLists(database, owner, sizes)
            kept?.recordFilled()
          },
        }),
      { folder: kept?.databaseFolder, settings: postgres },
    )
  const kept = keep === undefined ? undefined : openKeptHistory(keep, { lists, rows })
  const otherLists = lists.filter((list) => list !== 'messages')
  await start({ lists, rows }, kept, (filled) =>
    start({ lists: otherLists, rows: fewRows }, undefined, async (empty) => {
      const sides = [
        { name: 'empty', ...empty },
        { name: `${rows} rows`, ...filled },
      ] as const
      if (rows >= MANY_ROWS) for (const { database } of sides) await awaitDailyJobs(database)
      process.stderr.write(`measuring ${rows} rows\n`)
      await work(...sides)
    }),
  )
}

const MANY_ROWS = 1_000_000
/** The relay starts its daily jobs a minute after it has started. */
const FIRST_JOBS_MS = 65_000

/** Waits until the relay has compared the counts with the rows, which it does once a day. */
async function awaitDailyJobs({ pool }: BenchDatabase): Promise<void> {
  const { rows } = await pool.query<{ age: number }>(
    `SELECT extract(epoch FROM now() - min(backend_start))::float8 * 1000 AS age
     FROM pg_stat_activity WHERE application_name LIKE 'smsgw%'`,
  )
  await sleep(Math.max(0, FIRST_JOBS_MS - (rows[0]?.age ?? 0)))
  for (;;) {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
         AND objid::bigint IN (SELECT hashtext(name)::bigint & 4294967295 FROM unnest($1::text[]) AS job (name))`,
      [['check message counts', 'check list counts']],
    )
    if (rowCount === 0) return
    await sleep(1_000)
  }
}
