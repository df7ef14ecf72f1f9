// The telemetry of a fleet. The agents have no sockets. As a connected agent does, each agent gives a sample to the
// recorder of its relay every 30 s, at a different moment. The recorders of all relays run in this process and store
// the samples in one PostgreSQL. The baseline stores each sample separately, as fast as the database allows, and uses
// the same number of connections as the relays.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { AgentConnection } from '../../src/link/claim/agent-connection.ts'
import { recordTelemetry } from '../../src/link/record-telemetry-statement.ts'
import { TelemetryRecorder } from '../../src/link/telemetry-recorder.ts'
import { connectDatabase, type Database } from '../../src/store/database.ts'
import type { BenchDatabase } from '../bench-database.ts'

const EVERY_SECONDS = 30
const TICK_MS = 20
const CONNECTIONS = 2
/** The number of samples of the baseline. */
const ALONE = 500

export interface TelemetryCost {
  /** The baseline: the number of samples stored in a second with a commit for each sample. */
  readonly alonePerSecond: number
  readonly givenPerSecond: number
  readonly storedPerSecond: number
  readonly commitsPerSecond: number
  readonly walBytesEach: number
  readonly warnings: number
}

interface TelemetryLoad {
  readonly agents: number
  readonly relays: number
  readonly seconds: number
}

/** Creates the agents that do not exist yet, and measures. */
export async function measureTelemetry({ url, pool }: BenchDatabase, load: TelemetryLoad): Promise<TelemetryCost> {
  const connections = await createDevices(pool, load.agents)
  const databases = Array.from({ length: load.relays }, () => connectDatabase({ url, connections: CONNECTIONS }))
  const alonePerSecond = await measureAlone(databases, connections.slice(0, ALONE))
  const grouped = await measureGrouped(pool, databases, connections, load.seconds)
  await Promise.all(databases.map((database) => database.$disconnect()))
  return { alonePerSecond, ...grouped }
}

const ACCOUNT = 'telemetry'

async function createDevices(pool: Pool, count: number): Promise<AgentConnection[]> {
  await pool.query(`INSERT INTO accounts (id, username, password_hash) VALUES ($1, $1, '') ON CONFLICT DO NOTHING`, [
    ACCOUNT,
  ])
  await pool.query(
    `INSERT INTO devices (id, account_id, name, conn_epoch, journal_id)
     SELECT 'device-' || n, $2, 'device ' || n, 1, 'journal' FROM generate_series(0, $1::int - 1) n
     ON CONFLICT DO NOTHING`,
    [count, ACCOUNT],
  )
  await pool.query('VACUUM ANALYZE devices')
  return Array.from({ length: count }, (_, number) => ({
    ...{ accountId: ACCOUNT, deviceId: `device-${number}`, connEpoch: 1, journalId: 'journal' },
  }))
}

async function measureAlone(databases: readonly Database[], connections: readonly AgentConnection[]): Promise<number> {
  const startedMs = performance.now()
  const left = connections.values()
  const storeOneByOne = async (database: Database) => {
    for (const connection of left)
      await recordTelemetry(database, [{ connection, receivedAt: new Date(), json: JSON.stringify(sample()) }])
  }
  const workers = databases.flatMap((database) => Array.from({ length: CONNECTIONS }, () => storeOneByOne(database)))
  await Promise.all(workers)
  return (connections.length * 1_000) / (performance.now() - startedMs)
}

async function measureGrouped(
  pool: Pool,
  databases: readonly Database[],
  connections: readonly AgentConnection[],
  seconds: number,
): Promise<Omit<TelemetryCost, 'alonePerSecond'>> {
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => warnings.push(message) }
  const clock = { now: () => new Date() }
  const recorders = databases.map((database) => new TelemetryRecorder({ database, clock, log }))
  const before = await readCounters(pool)
  const startedMs = performance.now()
  let given = 0
  for (let elapsedMs = 0; elapsedMs < seconds * 1_000; elapsedMs = performance.now() - startedMs) {
    const due = Math.floor((elapsedMs / 1_000) * (connections.length / EVERY_SECONDS))
    for (; given < due; given += 1) {
      const number = given % connections.length
      recorders[number % recorders.length]?.add(connections[number] as AgentConnection, sample())
    }
    await sleep(TICK_MS)
  }
  for (const recorder of recorders) await recorder.stop()
  const elapsed = (performance.now() - startedMs) / 1_000
  const after = await readCounters(pool)
  return {
    givenPerSecond: given / elapsed,
    storedPerSecond: (after.rows - before.rows) / elapsed,
    commitsPerSecond: (after.commits - before.commits) / elapsed,
    walBytesEach: (after.walBytes - before.walBytes) / given,
    warnings: warnings.length,
  }
}

interface Counters {
  readonly rows: number
  readonly commits: number
  readonly walBytes: number
}

async function readCounters(pool: Pool): Promise<Counters> {
  // Counts transaction ids, because each commit that stores samples has its own id. The statistics of PostgreSQL would
  // be up to ten seconds old.
  const { rows } = await pool.query<{ rows: string; commits: string; walBytes: string }>(
    `SELECT count(*) AS rows, count(DISTINCT xmin::text) AS commits,
       pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS "walBytes"
     FROM telemetry`,
  )
  const [counters] = rows
  if (counters === undefined) throw new Error('the database has no statistics')
  return { rows: Number(counters.rows), commits: Number(counters.commits), walBytes: Number(counters.walBytes) }
}

/** Returns a sample like that of an agent with two modems. */
function sample() {
  const modem = (simNumber: number) => ({
    ...{
      simNumber,
      state: 'ready',
      manufacturer: 'Quectel',
      model: 'EC25',
      firmware: 'EC25EFAR06A06M4G',
      imei: '4321',
    },
    ...{ signal: 40 + Math.floor(Math.random() * 30), signalDbm: -80, operator: 'Example', technology: 'LTE' },
    ...{ registration: 'home', storageUsed: 0, storageTotal: 25, recoverySteps: 0 },
  })
  return { queue: { open: 3 }, journal: { fsyncMs: 2, bytes: 81_920 }, modems: [modem(1), modem(2)] }
}
