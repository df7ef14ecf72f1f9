import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRelayConfig } from '../config.ts'
import { type Relay, startRelay } from '../relay.ts'
import { callUrl } from '../testing/call-url.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { newKeys, ScriptedAgent } from './testing/scripted-agent.ts'

const ENROLMENT_TOKEN = 'the token of a whole fleet of agents'
const LOCKED = { timeout: 90_000 }
const store = useTestDatabase()
const agents: ScriptedAgent[] = []
let relay: Relay

beforeEach(async () => {
  const config = readRelayConfig({
    ...{ PORT: '0', CONSOLE_DIR: 'off', DATABASE_URL: store.url, ENROLMENT_TOKEN },
    ...{ SERVER_SECRET: 'a secret of a test with enough characters', TRUSTED_PROXIES: '127.0.0.1' },
    ...{ ADMIN_USERNAME: 'sms', ADMIN_PASSWORD: 'tea at half past four' },
  })
  relay = await startRelay({ config, log: openLog('fatal', { write: () => undefined }) })
})

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.stop()
  await relay.close()
})

async function connectedAgent(number: number): Promise<ScriptedAgent> {
  const options = { identity: { credential: ENROLMENT_TOKEN }, keys: newKeys(), address: `192.0.2.${number}` }
  // With this capability, an agent gets its settings only after its connection was recorded.
  const agent = new ScriptedAgent({ url: relay.url, capabilities: ['number-alias'], ...options }).start()
  agents.push(agent)
  await agent.online()
  return agent
}

test('agents that resume leave connections of the database for the API', async () => {
  for (let number = 0; number < 20; number += 1) await connectedAgent(number)
  const { accountId } = await store.database.device.findFirstOrThrow()
  const now = new Date()
  for (const { deviceId, journalId } of agents) {
    const ids = { accountId, deviceId }
    const dispatched = { dispatchedJournal: journalId, dispatchedAt: now, dueAt: now, notBefore: new Date(0) }
    const recipient = { ...ids, cmdId: deviceId, position: 0, phoneNumber: '+4915112345678', ...dispatched }
    const message = { ...ids, id: deviceId, createdAt: now, text: 'hello' }
    await store.database.message.create({ data: { ...message, recipients: { create: [recipient] } } })
  }
  await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`
    for (const agent of agents) agent.cut()
    // The relay has ten connections, and a third of them are for agents that arrive.
    await someoneWaits(store.database, 4)
    const auth = `Basic ${Buffer.from('sms:tea at half past four').toString('base64')}`
    for (let turn = 0; turn < 5; turn += 1)
      expect(await callUrl('GET', `${relay.url}/3rdparty/v1/devices`, { auth })).toMatchObject({ status: 200 })
  }, LOCKED)
  await Promise.all(agents.map((agent) => agent.online()))
})

test('a device is offline if its connection was recorded and its settings could not be read', async () => {
  const agent = await connectedAgent(1)
  const device = () => store.database.device.findUniqueOrThrow({ where: { id: agent.deviceId } })
  const { connEpoch: before } = await device()
  await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE`
    agent.cut()
    await expect.poll(async () => (await device()).connEpoch, { timeout: 60_000 }).toBeGreaterThan(before)
    await someoneWaits(store.database)
    agent.stop()
    await statements.$queryRaw`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%signing_key_sealed%'`
  }, LOCKED)
  await expect.poll(async () => (await device()).relayId).toBeNull()
})
