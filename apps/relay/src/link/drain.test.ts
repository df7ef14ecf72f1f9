import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, expect, test, vi } from 'vitest'
import { readRelayConfig } from '../config.ts'
import { type Relay, startRelay } from '../relay.ts'
import { callUrl } from '../testing/call-url.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { drainPeriod, drainTimes } from './drain-times.ts'
import { newKeys, ScriptedAgent } from './testing/scripted-agent.ts'

const ENROLMENT_TOKEN = 'the token of a whole fleet of agents'
const DRAIN_SECONDS = '5'
const LOCKED = { timeout: 90_000 }

const store = useTestDatabase()
const agents: ScriptedAgent[] = []
const relays: Relay[] = []

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.stop()
  for (const relay of relays.splice(0)) await relay.close()
})

async function startRelayOf(): Promise<Relay> {
  const config = readRelayConfig({
    ...{
      PORT: '0',
      CONSOLE_DIR: 'off',
      DATABASE_URL: store.url,
      SERVER_SECRET: 'a secret of a test with enough characters',
    },
    ...{ ADMIN_USERNAME: 'sms', ADMIN_PASSWORD: 'tea at half past four', TRUSTED_PROXIES: '127.0.0.1' },
    ...{ ENROLMENT_TOKEN, DRAIN_SECONDS },
  })
  const relay = await startRelay({ config, log: openLog('fatal', { write: () => undefined }) })
  relays.push(relay)
  return relay
}

/** Returns the ids of the relays that devices are connected to. */
async function relayIds(): Promise<(string | null)[]> {
  const devices = await store.database.device.findMany({ select: { relayId: true }, distinct: ['relayId'] })
  return devices.map(({ relayId }) => relayId)
}

test('agents that a load balancer sends back to a draining relay are asked again to leave it', async () => {
  const [leaving, staying] = [await startRelayOf(), await startRelayOf()]
  for (let number = 0; number < 20; number += 1) {
    const options = { identity: { credential: ENROLMENT_TOKEN }, keys: newKeys(), address: `192.0.2.${number}` }
    agents.push(new ScriptedAgent({ url: leaving.url, chance: Math.random(), ...options }).start())
  }
  await Promise.all(agents.map((agent) => agent.online()))
  const [leavingId] = await relayIds()
  leaving.drain()
  await Promise.race(agents.map((agent) => agent.until(() => agent.welcomes.length === 2)))
  // From now on, the load balancer knows that the relay is draining. An agent that returns twice is not asked again.
  for (const agent of agents) agent.url = staying.url
  expect(await relayIds()).toContain(leavingId)
  await vi.waitUntil(async () => !(await relayIds()).includes(leavingId ?? null), { timeout: 150_000, interval: 200 })
  await Promise.all(agents.map((agent) => agent.online()))
})

test('an agent of a draining relay gets messages until it leaves', async () => {
  const [leaving, staying] = [await startRelayOf(), await startRelayOf()]
  const options = { identity: { credential: ENROLMENT_TOKEN }, keys: newKeys(), capacity: 10 }
  const agent = new ScriptedAgent({ url: leaving.url, ...options }).start()
  agents.push(agent)
  await agent.online()
  leaving.drain()
  const called = await callUrl('POST', `${staying.url}/3rdparty/v1/messages`, {
    auth: `Basic ${Buffer.from('sms:tea at half past four').toString('base64')}`,
    body: { textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId: agent.deviceId },
  })
  expect(called).toMatchObject({ status: 202 })
  await agent.until(() => agent.commands.length > 0)
  expect(agent.welcomes).toHaveLength(1)
})

test('an agent whose connection is being opened when the drain begins is asked to leave, too', async () => {
  const leaving = await startRelayOf()
  const options = { identity: { credential: ENROLMENT_TOKEN }, keys: newKeys() }
  // With this capability, the agent gets its settings only after its connection was recorded.
  const agent = new ScriptedAgent({ url: leaving.url, capabilities: ['number-alias'], ...options }).start()
  agents.push(agent)
  await agent.online()
  const where = { id: agent.deviceId }
  const epoch = async () => (await store.database.device.findUniqueOrThrow({ where })).connEpoch
  const before = await epoch()
  await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE`
    agent.cut()
    await expect.poll(epoch, { timeout: 60_000 }).toBeGreaterThan(before)
    leaving.drain()
  }, LOCKED)
  // The agent comes back to this relay, because there is no other one.
  await agent.until(() => agent.welcomes.length > 2)
})

test.each([100, 4_000, 10_000])('%i agents leave a draining relay evenly, at most 200 in a second', (count) => {
  const period = drainPeriod(count, 240_000)
  const times = drainTimes(count, period)
  expect(times).toHaveLength(count)
  const inSecond = new Map<number, number>()
  for (const ms of times) inSecond.set(Math.floor(ms / 1_000), (inSecond.get(Math.floor(ms / 1_000)) ?? 0) + 1)
  // A part at the border of a second may be counted in either second.
  expect(Math.max(...inSecond.values())).toBeLessThanOrEqual(202)
  expect(Math.max(...times)).toBeLessThan(60_000)
  // The order of the agents is random.
  expect(times).not.toEqual(times.toSorted((one, other) => one - other))
})

test('few agents leave a draining relay at first, so that the other relay can get ready for many', () => {
  const times = drainTimes(10_000, { fromMs: 5_000, toMs: 52_000 })
  const inSecond = (second: number) => times.filter((ms) => Math.floor(ms / 1_000) === second).length
  // While the rate grows, for 8 s, half as many agents leave.
  const atFullRate = 10_000 / (52 - 5 - 8 / 2)
  expect(inSecond(5)).toBeLessThan(atFullRate / 10)
  for (let second = 6; second < 13; second += 1) expect(inSecond(second)).toBeGreaterThan(inSecond(second - 1))
  // A part at each border of a second may be counted in either second.
  for (let second = 14; second < 52; second += 1) expect(Math.abs(inSecond(second) - atFullRate)).toBeLessThan(2.5)
  expect(Math.max(...times)).toBeLessThanOrEqual(52_000)
})

test('agents stay until a load balancer can notice the drain, and leave before the relay closes', () => {
  expect(Math.min(...drainTimes(10_000, drainPeriod(10_000, 52_000)))).toBeGreaterThanOrEqual(5_000)
  expect(Math.max(...drainTimes(10_000, drainPeriod(10_000, 52_000)))).toBeLessThanOrEqual(52_000)
  expect(drainPeriod(10, 8_000)).toEqual({ fromMs: 2_000, toMs: 8_000 })
  expect(drainTimes(1, drainPeriod(1, 0))).toEqual([0])
})
