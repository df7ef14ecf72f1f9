import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, expect, test, vi } from 'vitest'
import { readRelayConfig } from '../config.ts'
import { type Relay, startRelay } from '../relay.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { drainSpreadMs } from './connected-agents.ts'
import { newKeys, ScriptedAgent } from './testing/scripted-agent.ts'

const ENROLMENT_TOKEN = 'the token of a whole fleet of agents'
const DRAIN_SECONDS = '5'

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
  expect(await relayIds()).toContain(leavingId)
  // From now on, the load balancer knows that the relay is draining.
  for (const agent of agents) agent.url = staying.url
  await vi.waitUntil(async () => !(await relayIds()).includes(leavingId ?? null), { timeout: 150_000, interval: 200 })
  await Promise.all(agents.map((agent) => agent.online()))
})

test('no more than 200 agents leave a draining relay in a second, and 10 000 agents leave within a minute', () => {
  for (const agents of [100, 4_000, 10_000]) expect(agents / (drainSpreadMs(agents) / 1_000)).toBeLessThanOrEqual(200)
  expect(drainSpreadMs(10_000)).toBeLessThan(60_000)
})
