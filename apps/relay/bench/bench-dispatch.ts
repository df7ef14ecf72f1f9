// Measures how fast the store claims commands for devices and stores their events. Commands and events are counted once
// they are durable:
//
//   node apps/relay/bench/bench-dispatch.ts [--devices 50] [--messages 200] [--history 300000]
//
// The baseline, called "floor", is one statement through `pg` that marks the same number of rows and commits. Compare
// figures only within one run. Between machines, or under different load, only the ratios are comparable.
import { parseArgs } from 'node:util'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Pool } from 'pg'
import { systemClock } from '../src/clock.ts'
import { EventRecorder } from '../src/ingest/event-recorder.ts'
import type { AgentConnection } from '../src/link/claim/agent-connection.ts'
import { openConnection } from '../src/link/claim/open-connection.ts'
import { claimCommands } from '../src/link/dispatch/claim-commands-statement.ts'
import { connectDatabase, type Database } from '../src/store/database.ts'
import { withBenchDatabase } from './bench-database.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '50' },
    messages: { type: 'string', default: '200' },
    history: { type: 'string', default: '300000' },
  },
})
const [deviceCount, messageCount, historyCount] = [values.devices, values.messages, values.history].map(Number) as [
  number,
  number,
  number,
]
const CONNECTIONS = 10
const CLAIM = 16
let marked = 0

await withBenchDatabase(async ({ pool, url }) => {
  const database = connectDatabase({ url, connections: CONNECTIONS })
  try {
    await fill(pool)
    await measure(pool, database)
  } finally {
    await database.$disconnect()
  }
})

/** Stores pending messages for each device, and ten times as many finished messages. */
async function fill(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('account', 'bench', '')`)
  await pool.query(
    `INSERT INTO devices (id, account_id, name) SELECT 'd' || n, 'account', '' FROM generate_series(1, $1::int) n`,
    [deviceCount],
  )
  await pool.query(
    `INSERT INTO messages (account_id, id, device_id, created_at, text, state, finished_at)
     SELECT 'account', 'm' || n, 'd' || (1 + n % $1::int), now() - interval '1 day' + n * interval '1 ms', 'text',
       (CASE WHEN n > $2::int THEN 'Pending' ELSE 'Delivered' END)::message_state, CASE WHEN n <= $2::int THEN now() END
     FROM generate_series(1, $2::int + $3::int) n`,
    [deviceCount, historyCount, deviceCount * messageCount],
  )
  await pool.query(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT 'c' || key, key, account_id, device_id, 0, '+4915112345678', state, created_at FROM messages`)
  await pool.query('VACUUM ANALYZE')
}

async function measure(pool: Pool, database: Database): Promise<void> {
  const connections = await connectAll(database)
  const [first] = connections as [AgentConnection]
  const floor = await times(40, () => markSixteen(pool))
  const lone = await times(8, () => claim(database, first))
  print('floor: UPDATE of 16 rows through pg, alone', `p50 ${median(floor).toFixed(2)} ms`)
  print(
    `claim of ${CLAIM}, alone`,
    `p50 ${median(lone).toFixed(2)} ms, ${(median(lone) / median(floor)).toFixed(1)} of the floor`,
  )

  const claimed: { connection: AgentConnection; cmdIds: string[] }[] = []
  const claims: number[] = []
  const claiming = await elapsed(() =>
    Promise.all(
      connections.map(async (connection) => {
        const cmdIds: string[] = []
        for (let got = CLAIM; got === CLAIM; ) {
          const start = performance.now()
          const ids = await claim(database, connection)
          claims.push(performance.now() - start)
          got = ids.length
          cmdIds.push(...ids)
        }
        claimed.push({ connection, cmdIds })
      }),
    ),
  )
  const sends = claimed.reduce((sum, { cmdIds }) => sum + cmdIds.length, 0)
  print(
    'claims of all devices at once',
    `${perSecond(sends, claiming)} sends/s, p50 of a claim ${median(claims).toFixed(2)} ms`,
  )

  const recorder = new EventRecorder({ database, clock: systemClock, hints: { answered: () => undefined } })
  const marks = new Map(connections.map(({ deviceId }) => [deviceId, 0]))
  const record = async (connection: AgentConnection, events: readonly AgentEvent[]) => {
    const from = (marks.get(connection.deviceId) ?? 0) + 1
    marks.set(connection.deviceId, from + events.length - 1)
    const read = events.map((event) => ({ event }))
    const result = await recorder.record({ connection, from, skipped: 0, tag: 'tag', events: read })
    if (result.kind !== 'stored') throw new Error(`not stored: ${result.kind}`)
  }
  const [alone, ...others] = claimed as [(typeof claimed)[0], ...typeof claimed]
  const lonely: number[] = []
  for (const cmdId of alone.cmdIds.slice(0, 60)) {
    const [processed, ...rest] = eventsOf(cmdId)
    lonely.push(await elapsed(() => record(alone.connection, [processed as AgentEvent])))
    await record(alone.connection, rest)
  }
  print(
    'one event, alone',
    `p50 ${median(lonely).toFixed(2)} ms, ${(median(lonely) / median(floor)).toFixed(1)} of the floor`,
  )

  const batches: number[] = []
  const recording = await elapsed(() =>
    Promise.all(
      others.map(async ({ connection, cmdIds }) => {
        for (let index = 0; index < cmdIds.length; index += 4) {
          const events = cmdIds.slice(index, index + 4).flatMap(eventsOf)
          batches.push(await elapsed(() => record(connection, events)))
        }
      }),
    ),
  )
  const count = others.reduce((sum, { cmdIds }) => sum + cmdIds.length * 4, 0)
  print(
    'events of all devices at once',
    `${perSecond(count, recording)} events/s, p50 of a batch of 16 ${median(batches).toFixed(2)} ms`,
  )
}

async function connectAll(database: Database): Promise<AgentConnection[]> {
  const connections: AgentConnection[] = []
  for (let number = 1; number <= deviceCount; number += 1) {
    const agent = {
      accountId: 'account',
      deviceId: `d${number}`,
      journalId: 'j',
      bootId: 'b',
      agentVersion: '1',
      capabilities: [],
      sims: [],
    }
    const opened = await openConnection(database, agent, { relayId: 'bench', leaseMs: 3_600_000, now: new Date() })
    if (opened) connections.push(opened.connection)
  }
  return connections
}

async function claim(database: Database, connection: AgentConnection): Promise<string[]> {
  const room = { sends: CLAIM, urgentSends: CLAIM, others: 64 }
  return (await claimCommands(database, connection, room, new Date())).map(({ cmdId }) => cmdId)
}

/** Returns the events of a message with one part, from acceptance to delivery. */
function eventsOf(cmdId: string): AgentEvent[] {
  const about = { cmdId, at: new Date().toISOString() }
  return [
    { kind: 'processed', ...about },
    { kind: 'part-submitted', ...about, part: 1, parts: 1, reference: 1, result: 'accepted', simNumber: 1 },
    { kind: 'sent', ...about, simNumber: 1, parts: 1 },
    { kind: 'delivered', ...about, simNumber: 1 },
  ]
}

async function markSixteen(pool: Pool): Promise<void> {
  marked += CLAIM
  await pool.query({
    name: 'mark',
    text: `UPDATE recipients SET dispatched_at = now() WHERE cmd_id = ANY($1)`,
    values: [Array.from({ length: CLAIM }, (_, number) => `c${marked + number}`)],
  })
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = []
  for (let time = 0; time < count; time += 1) durations.push(await elapsed(work))
  return durations
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(durations: readonly number[]): number {
  return durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)] ?? 0
}

function perSecond(count: number, ms: number): string {
  return Math.round((count * 1000) / ms).toLocaleString('en')
}

function print(what: string, figures: string): void {
  process.stdout.write(`${what.padEnd(46)}${figures}\n`)
}
