// Compares a relay whose database is empty with a relay whose database has a history.
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDatabase, withBenchDatabase } from '../bench-database.ts'
import { type BenchRelays, withBenchRelays } from '../bench-relays.ts'
import { acceptFigures, acceptRate, runAcceptLoad } from '../load/accept-load.ts'
import { median, print } from '../load/figures.ts'
import type { Load } from '../load/load.ts'
import { fillLists, type HistoryList } from './fill-lists.ts'

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
}

/** Starts one relay with an empty database and one with a filled database. `main` is the entry point of their build. */
export async function withEmptyAndFilled(
  { lists, rows, fewRows = 0 }: Sizes,
  main: string | undefined,
  work: (empty: HistorySide, filled: HistorySide) => Promise<void>,
): Promise<void> {
  const start = (sizes: Omit<Sizes, 'fewRows'>, use: (side: Omit<HistorySide, 'name'>) => Promise<void>) =>
    withBenchDatabase((database) =>
      withBenchRelays(database, 1, (relays) => use({ database, relays }), {
        main,
        prepare: (owner) => fillLists(database, owner, sizes),
      }),
    )
  await start({ lists, rows }, (filled) =>
    start({ lists: lists.filter((list) => list !== 'messages'), rows: fewRows }, async (empty) => {
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

/** Measures how many messages each side accepts. Rounds alternate. */
export async function compareAccepts(
  sides: readonly HistorySide[],
  { connections, seconds, rounds }: { readonly connections: number; readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const results = sides.map(() => ({ loads: [] as Load[], logged: [] as number[] }))
  for (let round = -1; round < rounds; round++) {
    for (const [index, { database, relays }] of sides.entries()) {
      await database.pool.query('CHECKPOINT')
      const before = await walPosition(database)
      const url = `${relays.urls[0]}/3rdparty/v1/messages`
      const load = await runAcceptLoad({ url, auth: relays.auth, connections, seconds })
      // The first round is not measured, because code is compiled and statements are planned in it.
      if (round < 0) continue
      results[index]?.loads.push(load)
      results[index]?.logged.push(((await walPosition(database)) - before) / (load.perSecond * seconds) / 1024)
    }
  }
  print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms', 'log KiB each')
  for (const [index, { loads, logged }] of results.entries())
    print(sides[index]?.name ?? '', ...acceptFigures(loads), median(logged).toFixed(1))
  const [ofNone = 0, ofMany = 0] = results.map(({ loads }) => acceptRate(loads))
  print('ratio', (ofMany / ofNone).toFixed(2))
}

async function walPosition({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ at: string }>(`SELECT pg_current_wal_lsn() - '0/0' AS at`)
  return Number(rows[0]?.at)
}
