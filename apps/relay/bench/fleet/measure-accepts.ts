import type { BenchDatabase } from '../bench-database.ts'
import { type BenchRelays, withBenchRelays } from '../bench-relays.ts'
import { acceptFigures, acceptRate, runAcceptLoad } from '../load/accept-load.ts'
import { print } from '../load/figures.ts'
import type { Load } from '../load/load.ts'
import { startBareRoute } from '../load/start-bare-route.ts'
import { watchLimits } from './watch-limits.ts'

/** The connections of each relay. PostgreSQL allows 60 connections in benchmarks. */
export const DATABASE_CONNECTIONS = 8

interface AcceptOptions {
  /** The numbers of relays to compare. */
  readonly relays: readonly number[]
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  readonly main: string | undefined
}

/**
 * Measures how many messages one database accepts with different numbers of relays, and what limits the rate. The same
 * number of connections is divided among the relays. The baseline is one process with the bare route.
 */
export async function measureAccepts(database: BenchDatabase, options: AcceptOptions): Promise<void> {
  const { relays: counts, main } = options
  const settings = { DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS) }
  const work = async (relays: BenchRelays) => {
    const bare = await startBareRoute(database, relays, DATABASE_CONNECTIONS)
    try {
      await compare(database, relays, `${bare.url}/messages`, options)
    } finally {
      await bare.stop()
    }
  }
  await withBenchRelays(database, Math.max(...counts), work, { main, settings })
}

async function compare(
  { pool }: BenchDatabase,
  { urls, pids, auth }: BenchRelays,
  bareUrl: string,
  { relays: counts, connections, seconds, rounds }: AcceptOptions,
): Promise<void> {
  const sides = [
    { name: 'baseline: bare route', urls: [bareUrl], loads: [] as Load[], limits: '' },
    ...counts.map((count) => ({
      name: `accepted by ${count} ${count === 1 ? 'relay' : 'relays'}`,
      urls: urls.slice(0, count).map((url) => `${url}/3rdparty/v1/messages`),
      loads: [] as Load[],
      limits: '',
    })),
  ]
  // The first round is not measured, because code is compiled and statements are planned in it.
  for (let round = -1; round < rounds; round++) {
    for (const side of sides) {
      await pool.query('CHECKPOINT')
      const stopWatching = await watchLimits(pool, pids)
      const each = Math.ceil(connections / side.urls.length)
      const loads = await Promise.all(
        side.urls.map((url) => runAcceptLoad({ url, auth, connections: each, seconds: round < 0 ? 1 : seconds })),
      )
      side.limits = await stopWatching()
      if (round >= 0) side.loads.push(together(loads))
    }
  }
  print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms', 'of baseline', 'growth')
  const [baseline = 0, first = 0] = sides.map(({ loads }) => acceptRate(loads))
  for (const [index, { name, loads }] of sides.entries()) {
    const rate = acceptRate(loads)
    const ratios = index === 0 ? ['1.00', '-'] : [(rate / baseline).toFixed(2), (rate / first).toFixed(2)]
    print(name, ...acceptFigures(loads), ...ratios)
  }
  // Of the last round.
  for (const { name, limits } of sides) print(`limits: ${name}`, limits)
}

/** Adds up the rates of the relays. The times are those of the slowest relay. */
function together(loads: readonly Load[]): Load {
  return {
    perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: Math.max(...loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...loads.map(({ p99Ms }) => p99Ms)),
    slowestMs: Math.max(...loads.map(({ slowestMs }) => slowestMs)),
    statuses: new Map(),
  }
}
