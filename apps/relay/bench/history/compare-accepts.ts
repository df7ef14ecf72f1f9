import type { BenchDatabase } from '../bench-database.ts'
import { postgresSeconds } from '../fleet/watch-limits.ts'
import { runAcceptLoad } from '../load/accept-load.ts'
import { median, print } from '../load/figures.ts'
import type { Load } from '../load/load.ts'
import type { HistorySide } from './empty-and-filled.ts'

export interface AcceptRounds {
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  /**
   * False: each round begins with a checkpoint, and medians of the rounds are printed. This is the worst case, because
   * PostgreSQL logs each page as a whole when it changes for the first time after a checkpoint. True: PostgreSQL makes
   * checkpoints as in a running system. The measurement continues until both sides have made one, and means are
   * printed, because rounds soon after a checkpoint are slower.
   */
  readonly steady?: boolean
}

interface Round extends Load {
  readonly loggedKib: number
  readonly postgresMs: number
}

/** Measures how many messages each side accepts. Rounds alternate. */
export async function compareAccepts(
  sides: readonly HistorySide[],
  { connections, seconds, rounds, steady = false }: AcceptRounds,
): Promise<void> {
  const measure = async ({ database, relays }: HistorySide): Promise<Round> => {
    if (!steady) await database.pool.query('CHECKPOINT')
    const [log, cpu] = [await logPosition(database), postgresSeconds(database.pid)]
    const url = `${relays.urls[0]}/3rdparty/v1/messages`
    const load = await runAcceptLoad({ url, auth: relays.auth, connections, seconds })
    const messages = load.perSecond * seconds
    return {
      ...load,
      loggedKib: ((await logPosition(database)) - log) / messages / 1024,
      postgresMs: ((postgresSeconds(database.pid) - cpu) / messages) * 1000,
    }
  }
  // The first round is not measured, because code is compiled and statements are planned in it.
  for (const side of sides) await measure(side)
  const checkpoints: number[] = []
  for (const { database } of sides) {
    if (steady) await database.pool.query('CHECKPOINT')
    checkpoints.push(await checkpointsOf(database))
  }
  const results = sides.map((): Round[] => [])
  for (let round = 0; round < rounds || (steady && !(await haveCheckpoints(sides, checkpoints))); round++)
    for (const [index, side] of sides.entries()) results[index]?.push(await measure(side))
  const typical = steady ? mean : median
  print(
    `accepted at ${connections} connections`,
    'a second',
    'p50 ms',
    'p99 ms',
    'log KiB each',
    'database ms',
    'checkpoints',
  )
  for (const [index, loads] of results.entries()) {
    const side = sides[index] as HistorySide
    const made = (await checkpointsOf(side.database)) - (checkpoints[index] ?? 0)
    const figure = (value: (round: Round) => number, digits: number) => typical(loads.map(value)).toFixed(digits)
    const times = [figure(({ p50Ms }) => p50Ms, 1), figure(({ p99Ms }) => p99Ms, 1)]
    const work = [figure(({ loggedKib }) => loggedKib, 1), figure(({ postgresMs }) => postgresMs, 3)]
    print(
      side.name,
      figure(({ perSecond }) => perSecond, 0),
      ...times,
      ...work,
      String(made),
    )
  }
  const [ofNone = 0, ofMany = 0] = results.map((loads) => typical(loads.map(({ perSecond }) => perSecond)))
  print('ratio', (ofMany / ofNone).toFixed(2))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

async function haveCheckpoints(sides: readonly HistorySide[], before: readonly number[]): Promise<boolean> {
  for (const [index, { database }] of sides.entries())
    if ((await checkpointsOf(database)) === before[index]) return false
  return true
}

async function checkpointsOf({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ done: string }>('SELECT num_done AS done FROM pg_stat_checkpointer')
  return Number(rows[0]?.done)
}

/** Returns how many bytes PostgreSQL has written to its log. */
export async function logPosition({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ at: string }>(`SELECT pg_current_wal_lsn() - '0/0' AS at`)
  return Number(rows[0]?.at)
}
