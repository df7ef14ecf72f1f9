// Connected agents of many accounts, while the clock of the database is set and settings are slow to read.
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { ScriptedAgent } from './testing/scripted-agent.ts'

const HOUR = 3_600_000
let aheadMs = 0

const ACCOUNTS = 25
let relay: TestRelay
const agents: ScriptedAgent[] = []

beforeAll(async () => {
  relay = await testRelay({ settings: { TRUSTED_PROXIES: '127.0.0.1' }, prepare: addClock, isImpatient: true })
  for (let index = 0; index < ACCOUNTS; index++) {
    const { basic } = await relay.addAccount()
    const { code } = (await relay.api('POST', '/devices/codes', { auth: basic })).json
    const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code }, address: `192.0.2.${index}` })
    agents.push(agent.start())
  }
  await Promise.all(agents.map((agent) => agent.online()))
})
afterAll(async () => {
  for (const agent of agents) agent.stop()
  await relay.close()
})

test('leases are renewed while the settings cannot be read, and agents get the time afterwards', async () => {
  const before = agents.map(({ settings }) => settings.length)
  const unlock = await lockSettings()
  // The clock is set a second time while the first change is being handled.
  for (const jumpMs of [HOUR, 24 * HOUR]) {
    await setClock(aheadMs + jumpMs)
    await expect.poll(countLeased).toBe(ACCOUNTS)
  }
  await unlock()
  await expect.poll(() => agents.every(({ settings }, index) => settings.length > (before[index] ?? 0))).toBe(true)
})

test('telemetry is stored after the clock was set back', async () => {
  const [agent] = agents
  const samples = () => relay.database.telemetry.count({ where: { deviceId: agent?.deviceId ?? '' } })
  agent?.say(JSON.stringify({ type: 'telemetry', at: new Date(), sample: { signal: 20 } }))
  await expect.poll(samples).toBe(1)
  await setClock(aheadMs - 24 * HOUR)
  await expect.poll(() => relay.logged.join('')).toContain('database clock moved back')
  // Advances the monotonic clock by more than the shortest interval between two samples.
  const startMs = performance.timeOrigin - 16_000
  const later = vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - startMs)
  try {
    agent?.say(JSON.stringify({ type: 'telemetry', at: new Date(), sample: { signal: 30 } }))
    await expect.poll(samples).toBe(2)
  } finally {
    later.mockRestore()
  }
})

/** Gives the database a clock that `setClock` can set: a function that is found before the function of PostgreSQL. */
async function addClock(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await query(
    url,
    `CREATE SCHEMA set_clock;
     CREATE TABLE set_clock.ahead AS SELECT interval '0' AS ahead;
     CREATE FUNCTION set_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM set_clock.ahead';
     ALTER DATABASE ${name} SET search_path = set_clock, pg_catalog, public`,
  )
}

async function setClock(newAheadMs: number): Promise<void> {
  await query(relay.databaseUrl, `UPDATE set_clock.ahead SET ahead = ${newAheadMs} * interval '1 millisecond'`)
  aheadMs = newAheadMs
}

/** Prevents reading the settings of any account until the returned function is called. */
async function lockSettings(): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: relay.databaseUrl })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE')
  return () => client.end()
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** Counts the devices whose relay has a lease that has not ended according to the database's clock. */
async function countLeased(): Promise<number> {
  const now = new Date(Date.now() + aheadMs)
  const relays = await relay.database.relay.findMany({ where: { leaseUntil: { gt: now } } })
  return relay.database.device.count({ where: { relayId: { in: relays.map(({ id }) => id) } } })
}
