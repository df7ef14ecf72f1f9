// Measures how many messages are accepted per second over HTTP, with authentication, number checks and the choice of a
// device. Each message is on disk before the answer. For comparison, a bare route writes the same rows in the same run
// (`bare-route.ts`). Rounds of the relay and of the bare route alternate, and medians are compared, because on a shared
// machine only ratios are comparable.
//
//   node apps/relay/bench/bench-accept.ts [--connections 64] [--seconds 3] [--rounds 7]
//   node apps/relay/bench/bench-accept.ts --history 1000000 instead compares an empty table with a filled one
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { newTimedId, systemRandom } from '../src/random.ts'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'
import { type Load, postRequest, runLoad } from './load/load.ts'

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
let sent = 0

if (values.history !== undefined) {
  await compareWithHistory(Number(values.history))
  process.exit(0)
}
await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async (relays) => {
    const bare = await startBareRoute(database, relays)
    try {
      await compare(database, `${relays.urls[0]}/3rdparty/v1/messages`, `${bare.url}/messages`, relays.auth)
    } finally {
      await bare.stop()
    }
  }),
)

async function compare({ pool }: BenchDatabase, ours: string, bare: string, auth: string): Promise<void> {
  const load = (url: string, connections: number) => {
    const { pathname } = new URL(url)
    return runLoad({ url, connections, seconds, request: () => postRequest(pathname, { authorization: auth }, body()) })
  }
  // Runs a first round that is not measured, in which the code is compiled and the statements are planned.
  for (const url of [ours, bare]) await load(url, connections)
  const results: { ours: Load[]; bare: Load[] } = { ours: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, url] of [['ours', ours] as const, ['bare', bare] as const]) {
      await pool.query('CHECKPOINT')
      results[name].push(accepted(await load(url, connections)))
    }
  }
  print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms')
  print('bare route, one statement each', ...figuresOf(results.bare))
  print('relay', ...figuresOf(results.ours))
  print('ratio', (median(results.ours.map(perSecond)) / median(results.bare.map(perSecond))).toFixed(2))
  print('alone: one connection, bare route', ...figuresOf([accepted(await load(bare, 1))]))
  print('alone: one connection, relay', ...figuresOf([accepted(await load(ours, 1))]))
}

/** Measures the same relay with two databases, of which one contains finished messages. Rounds alternate. */
async function compareWithHistory(messages: number): Promise<void> {
  await withBenchDatabase((empty) =>
    withBenchDatabase((filled) =>
      withBenchRelays(empty, 1, (ofEmpty) =>
        withBenchRelays(filled, 1, async (ofFilled) => {
          await fill(filled, ofFilled, messages)
          const sides = [
            { name: 'empty', database: empty, relays: ofEmpty, loads: [] as Load[], logged: [] as number[] },
            {
              name: `${messages} messages`,
              database: filled,
              relays: ofFilled,
              loads: [] as Load[],
              logged: [] as number[],
            },
          ]
          for (let round = -1; round < rounds; round++) {
            for (const { database, relays, loads, logged } of sides) {
              await database.pool.query('CHECKPOINT')
              const before = await walPosition(database)
              const { auth, urls } = relays
              const request = () => postRequest('/3rdparty/v1/messages', { authorization: auth }, body())
              const load = accepted(
                await runLoad({ url: `${urls[0]}/3rdparty/v1/messages`, connections, seconds, request }),
              )
              if (round < 0) continue
              loads.push(load)
              logged.push(((await walPosition(database)) - before) / (load.perSecond * seconds) / 1024)
            }
          }
          print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms', 'log KiB each')
          for (const { name, loads, logged } of sides) print(name, ...figuresOf(loads), median(logged).toFixed(1))
          const [ofNone = 0, ofMany = 0] = sides.map(({ loads }) => median(loads.map(perSecond)))
          print('ratio', (ofMany / ofNone).toFixed(2))
        }),
      ),
    ),
  )
}

async function walPosition({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ at: string }>(`SELECT pg_current_wal_lsn() - '0/0' AS at`)
  return Number(rows[0]?.at)
}

/**
 * Fills the table. The messages were accepted by this relay, a second apart, and have ended. Each message went to a
 * different number.
 */
async function fill({ pool }: BenchDatabase, { accountId, deviceId }: BenchRelays, messages: number): Promise<void> {
  const beganAt = Date.now() - messages * 1_000
  const portion = 10_000
  for (let from = 0; from < messages; from += portion) {
    const rows = Array.from(
      { length: Math.min(portion, messages - from) },
      (_, at) => new Date(beganAt + (from + at) * 1_000),
    )
    const ids = rows.map((at) => newTimedId(systemRandom, at))
    await pool.query(
      `WITH stored AS (
         INSERT INTO messages (account_id, id, device_id, created_at, text, state, processed_at, sent_at, delivered_at, finished_at)
         SELECT $1, id, $2, at, 'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00', 'Delivered', at, at, at, at
         FROM unnest($3::text[], $4::timestamptz[]) AS one (id, at) RETURNING key, id, created_at)
       INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
       SELECT 'c' || substr(id, 2), key, $1, $2, 0, '+4915112' || (100000 + (key * 7919) % 900000), 'Delivered', created_at FROM stored`,
      [accountId, deviceId, ids, rows],
    )
  }
  await pool.query('VACUUM ANALYZE')
}

/** Returns a message with a text of typical length. Its number is valid and different each time. */
function body(): string {
  const number = `+4915112${String(100_000 + (sent++ % 900_000))}`
  return JSON.stringify({
    phoneNumbers: [number],
    textMessage: { text: 'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00' },
  })
}

function accepted(load: Load): Load {
  const others = [...load.statuses.keys()].filter((status) => status !== 202)
  if (others.length > 0) throw new Error(`answers with status ${others.join(', ')}`)
  return load
}

function perSecond(load: Load): number {
  return load.perSecond
}

function figuresOf(loads: readonly Load[]): string[] {
  return [
    String(Math.round(median(loads.map(perSecond)))),
    median(loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(loads.map(({ p99Ms }) => p99Ms)).toFixed(1),
  ]
}

async function startBareRoute(
  { url }: BenchDatabase,
  { accountId, deviceId }: BenchRelays,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'load/bare-route.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      ACCOUNT_ID: accountId,
      DEVICE_ID: deviceId,
      CONNECTIONS: String(DATABASE_CONNECTIONS),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    url: String(line),
    async stop() {
      child.kill()
      await ended
    },
  }
}
