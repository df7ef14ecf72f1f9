import { randomBytes } from 'node:crypto'
import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { callUrl } from '../testing/call-url.ts'
import { startRelayProcess, type TestRelayProcess } from '../testing/relay-process.ts'
import { impatientUrl, useTestDatabase } from '../testing/test-database.ts'
import { ScriptedAgent, type ScriptedAgentOptions } from './testing/scripted-agent.ts'

const ADMIN = { ADMIN_USERNAME: 'sms', ADMIN_PASSWORD: 'tea at half past four' }
const auth = `Basic ${btoa(`${ADMIN.ADMIN_USERNAME}:${ADMIN.ADMIN_PASSWORD}`)}`
const at = '2026-03-01T15:46:11.000+07:00'

const store = useTestDatabase()
let relays: readonly [TestRelayProcess, TestRelayProcess, TestRelayProcess]
const agents: ScriptedAgent[] = []

beforeAll(async () => {
  // If a relay does not respond, PostgreSQL ends its transaction after the time that the relay has set.
  const settings = {
    DATABASE_URL: impatientUrl(store.url),
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ...ADMIN,
  }
  // The first relay creates the account.
  const first = await startRelayProcess(settings)
  relays = [first, ...(await Promise.all([startRelayProcess(settings), startRelayProcess(settings)]))]
})

afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop()
})

afterAll(async () => {
  for (const relay of relays) {
    relay.kill('SIGCONT')
    relay.kill('SIGTERM')
  }
  const endings = await Promise.all(relays.map(({ ended }) => ended))
  expect(endings).toEqual(relays.map(() => ({ code: 0, signal: null })))
})

async function api(relay: TestRelayProcess, method: string, path: string, body?: object) {
  const { status, json } = await callUrl(method, `${relay.url}/3rdparty/v1${path}`, { auth, body })
  expect([path, status < 300]).toEqual([path, true])
  return json
}

/** Pairs an agent at one relay and connects it to another. */
async function agentAt(relay: TestRelayProcess, options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
  const { code } = await api(relays[0], 'POST', '/devices/codes')
  const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code }, ...options }).start()
  agents.push(agent)
  await agent.online()
  return agent
}

async function send(relay: TestRelayProcess, deviceId: string): Promise<string> {
  const body = { textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId }
  return (await api(relay, 'POST', '/messages', body)).id
}

function goesWell({ kind, cmdId }: Command): AgentEvent[] {
  if (kind !== 'send') return []
  return [
    { kind: 'processed', cmdId, at },
    { kind: 'sent', cmdId, at, simNumber: 1, parts: 1 },
  ]
}

test('messages, settings, USSD commands and deletion reach an agent that is connected to another relay', async () => {
  const [first, second, third] = relays
  const answer = (command: Command): AgentEvent[] =>
    command.kind === 'ussd'
      ? [{ kind: 'ussd-answered', cmdId: command.cmdId, at, outcome: 'answered', text: 'Balance 3', more: false }]
      : goesWell(command)
  const agent = await agentAt(third, { answer })
  const id = await send(first, agent.deviceId)
  await agent.until(() => agent.stored === 2)
  expect((await api(second, 'GET', `/messages/${id}`)).state).toBe('Sent')
  await api(second, 'PATCH', '/settings', { messages: { limit_period: 'PerHour', limit_value: 7 } })
  await agent.until(() => agent.settings.length === 2)
  expect(await api(first, 'POST', `/devices/${agent.deviceId}/ussd`, { code: '*100#' })).toEqual({
    text: 'Balance 3',
    more: false,
  })
  await api(first, 'DELETE', `/devices/${agent.deviceId}`)
  await agent.until(() => agent.phase === 'stopped')
  expect(agent.ended).toEqual(['revoked'])
})

test('a reconnecting agent gets each message once, from any relay that accepted it', async () => {
  const agent = await agentAt(relays[0], { answer: goesWell })
  const ids: string[] = []
  for (const turn of [1, 2, 3, 4, 5, 6]) {
    agent.url = (relays[turn % 3] as TestRelayProcess).url
    const sending = Promise.all(relays.map((relay) => send(relay, agent.deviceId)))
    agent.cut()
    ids.push(...(await sending))
    await agent.until(() => agent.welcomes.length > turn)
  }
  await agent.until(() => agent.stored === 2 * ids.length)
  expect(agent.commands.map((command) => command.kind === 'send' && command.messageId).sort()).toEqual(ids.sort())
  const states = await store.database.message.groupBy({ by: ['state'], where: { id: { in: ids } }, _count: true })
  expect(states).toEqual([{ state: 'Sent', _count: ids.length }])
  expect(agent.welcomes.map(({ connEpoch }) => connEpoch)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('a superseded connection at another relay is closed', async () => {
  const first = await agentAt(relays[0], { chance: 1 })
  const { keys, identity, journalId } = first
  const second = new ScriptedAgent({ url: relays[1].url, keys, identity, journalId }).start()
  agents.push(second)
  await Promise.all([second.online(), first.until(() => first.ended.length === 1)])
  expect(first.ended).toEqual(['superseded'])
})

test('a relay that is stopped during a transaction delays an agent by seconds, and commits nothing later', async () => {
  const [stopped, other] = relays
  const agent = await agentAt(stopped)
  const id = await send(other, agent.deviceId)
  await agent.until(() => agent.commands.length === 1)
  const [command] = agent.commands as [Command]
  const holder = new Client({ connectionString: store.url })
  await holder.connect()
  // The relay that is stopped below has a transaction that has locked the device and waits for the message.
  await holder.query('BEGIN')
  await holder.query('SELECT FROM messages WHERE id = $1 FOR UPDATE', [id])
  agent.tell(...goesWell(command))
  const waits = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'smsgw relay'`
  await vi.waitUntil(async () => (await holder.query(waits)).rowCount === 1, { timeout: 90_000 })
  stopped.kill('SIGSTOP')
  await holder.query('ROLLBACK')
  await holder.end()

  agent.url = other.url
  agent.cut()
  await agent.until(() => agent.welcomes.length === 2)
  await agent.until(() => agent.stored === 2)
  expect((await api(other, 'GET', `/messages/${id}`)).state).toBe('Sent')
  const recipient = () => store.database.recipient.findFirstOrThrow({ where: { message: { id } } })
  const before = await recipient()

  stopped.kill('SIGCONT')
  const next = await send(stopped, agent.deviceId)
  await agent.until(() => agent.commands.length === 2)
  expect(agent.commands[1]).toMatchObject({ messageId: next })
  expect(await recipient()).toEqual(before)
})
