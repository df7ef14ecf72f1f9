// Measures how many messages are accepted per second over HTTP, with authentication, number checks and the choice of a
// device. Each message is on disk before the answer. For comparison, a bare route writes the same rows in the same run
// (`bare-route.ts`). Rounds of the relay and of the bare route alternate, and medians are compared, because on a shared
// machine only ratios are comparable.
//
//   node apps/relay/bench/bench-accept.ts [--connections 64] [--seconds 3] [--rounds 7]
//   --history 1000000: only compares an empty table with a table of this many messages
import { parseArgs } from 'node:util'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { withBenchRelays } from './bench-relays.ts'
import { compareAccepts } from './history/compare-accepts.ts'
import { withEmptyAndFilled } from './history/empty-and-filled.ts'
import { acceptFigures, acceptRate, runAcceptLoad } from './load/accept-load.ts'
import { print } from './load/figures.ts'
import type { Load } from './load/load.ts'
import { startBareRoute } from './load/start-bare-route.ts'

/** The default value of DATABASE_CONNECTIONS. */
const DATABASE_CONNECTIONS = 10

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
    history: { type: 'string' },
  },
})
const [connections, seconds, rounds] = [Number(values.connections), Number(values.seconds), Number(values.rounds)]

if (values.history !== undefined) {
  await withEmptyAndFilled({ lists: ['messages'], rows: Number(values.history) }, undefined, (...sides) =>
    compareAccepts(sides, { connections, seconds, rounds }),
  )
  process.exit(0)
}
await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async (relays) => {
    const bare = await startBareRoute(database, relays, DATABASE_CONNECTIONS)
    try {
      await compare(database, `${relays.urls[0]}/3rdparty/v1/messages`, `${bare.url}/messages`, relays.auth)
    } finally {
      await bare.stop()
    }
  }),
)

async function compare({ pool }: BenchDatabase, ours: string, bare: string, auth: string): Promise<void> {
  const load = (url: string, connections: number) => runAcceptLoad({ url, auth, connections, seconds })
  // Runs a first round that is not measured, in which the code is compiled and the statements are planned.
  for (const url of [ours, bare]) await load(url, connections)
  const results: { ours: Load[]; bare: Load[] } = { ours: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, url] of [['ours', ours] as const, ['bare', bare] as const]) {
      await pool.query('CHECKPOINT')
      results[name].push(await load(url, connections))
    }
  }
  print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms')
  print('bare route, one statement each', ...acceptFigures(results.bare))
  print('relay', ...acceptFigures(results.ours))
  print('ratio', (acceptRate(results.ours) / acceptRate(results.bare)).toFixed(2))
  print('bare route, one connection', ...acceptFigures([await load(bare, 1)]))
  print('relay, one connection', ...acceptFigures([await load(ours, 1)]))
}
