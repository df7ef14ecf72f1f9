// Connected agents of many accounts while the database's clock is set and settings are slow to read.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { ScriptedAgent } from './testing/scripted-agent.ts'

const HOUR = 3_600_000
let aheadMs = 0
let isSlow = false
vi.hoisted(() => vi.resetModules())
vi.mock(import('../store/read-clock-statement.ts'), async (original) => {
  const real = await original()
  return { ...real, readDatabaseMs: async (statements) => (await real.readDatabaseMs(statements)) + aheadMs }
})
vi.mock(import('../settings/read-settings.ts'), async (original) => {
  const real = await original()
  const readSettings: typeof real.readSettings = async (...given) => {
    if (isSlow) await sleep(1_000)
    return real.readSettings(...given)
  }
  return { ...real, readSettings }
})

const ACCOUNTS = 25
let relay: TestRelay
const agents: ScriptedAgent[] = []

beforeAll(async () => {
  relay = await testRelay({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
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
test('leases are renewed and agents get the time at once, however slowly settings are read', async () => {
  isSlow = true
  // The second jump happens while the first is being handled.
  for (const jumpMs of [HOUR, 24 * HOUR]) {
    const before = agents.map(({ settings }) => settings.length)
    aheadMs += jumpMs
    const startMs = performance.now()
    await vi.waitUntil(async () => (await countLeased()) === ACCOUNTS, { timeout: SOON_MS })
    const isSent = () => agents.every(({ settings }, index) => settings.length > (before[index] ?? 0))
    await vi.waitUntil(isSent, { timeout: SOON_MS })
    expect(performance.now() - startMs).toBeLessThan(SOON_MS)
  }
})

test('telemetry is stored after the clock was set back', async () => {
  const [agent] = agents
  const samples = () => relay.database.telemetry.count({ where: { deviceId: agent?.deviceId ?? '' } })
  agent?.say(JSON.stringify({ type: 'telemetry', at: new Date(), sample: { signal: 20 } }))
  await vi.waitUntil(async () => (await samples()) === 1, { timeout: SOON_MS })
  aheadMs -= 24 * HOUR
  await vi.waitUntil(() => relay.logged.some((line) => line.includes('database clock moved back')), {
    timeout: SOON_MS,
  })
  // Advances the monotonic clock by more than the shortest interval between two samples.
  const startMs = performance.timeOrigin - 16_000
  const later = vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - startMs)
  try {
    agent?.say(JSON.stringify({ type: 'telemetry', at: new Date(), sample: { signal: 30 } }))
    await vi.waitUntil(async () => (await samples()) === 2, { timeout: SOON_MS })
  } finally {
    later.mockRestore()
  }
})

/** Enough time for work that takes about a second, but not if the work has to wait for settings. */
const SOON_MS = 5_000

/** Counts the leases that have not ended according to the database's clock. */
function countLeased(): Promise<number> {
  const now = new Date(Date.now() + aheadMs)
  return relay.database.device.count({ where: { leaseUntil: { gt: now } } })
}
