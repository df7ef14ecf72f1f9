// Compares a relay whose database is empty with a relay whose database has a history.
import { type BenchDatabase, withBenchDatabase } from '../bench-database.ts'
import { type BenchRelays, withBenchRelays } from '../bench-relays.ts'
import { acceptFigures, acceptRate, runAcceptLoad } from './accept-load.ts'
import { median, print } from './figures.ts'
import { storeOldMessages } from './fill-history.ts'
import type { Load } from './load.ts'

export interface HistorySide {
  readonly name: string
  readonly database: BenchDatabase
  readonly relays: BenchRelays
}

/** Starts one relay with an empty database and one with a filled database. `main` is the entry point of their build. */
export async function withEmptyAndFilled(
  messages: number,
  main: string | undefined,
  work: (empty: HistorySide, filled: HistorySide) => Promise<void>,
): Promise<void> {
  await withBenchDatabase((empty) =>
    withBenchDatabase((filled) =>
      withBenchRelays(
        empty,
        1,
        (ofEmpty) =>
          withBenchRelays(
            filled,
            1,
            async (ofFilled) => {
              await storeOldMessages(filled, ofFilled, messages)
              await work(
                { name: 'empty', database: empty, relays: ofEmpty },
                { name: `${messages} messages`, database: filled, relays: ofFilled },
              )
            },
            { main },
          ),
        { main },
      ),
    ),
  )
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
