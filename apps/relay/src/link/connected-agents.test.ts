import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { removeAccount } from '../accounts/remove-account.ts'
import { systemClock } from '../clock.ts'
import { publishHints } from '../hints/publish-hints-statement.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { newKeys, ScriptedAgent, type ScriptedAgentOptions } from './testing/scripted-agent.ts'

const TOKEN = 'the token of a whole fleet of agents'
const ADMIN = { ADMIN_USERNAME: 'fleet', ADMIN_PASSWORD: 'tea at half past four' }

let relay: TestRelay
const agents: ScriptedAgent[] = []
let places = 0

beforeAll(async () => {
  relay = await testRelay({ settings: { ...ADMIN, ENROLMENT_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1' } })
})

afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop()
})

afterAll(() => relay.close())

function connect(options: Omit<ScriptedAgentOptions, 'url'>): ScriptedAgent {
  places += 1
  // Each agent has a different address, because pairing is rate-limited per address.
  const agent = new ScriptedAgent({ url: relay.url, address: `192.0.2.${places}`, ...options })
  agents.push(agent)
  return agent.start()
}

/** Pairs an agent with a code of the test's account and returns it when it is online. */
async function pairedAgent(options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
  const agent = connect({ identity: { credential: await newCode() }, ...options })
  await agent.online()
  return agent
}

async function newCode(): Promise<string> {
  return (await relay.api('POST', '/devices/codes')).json.code
}

async function send(deviceId: string, about: object = {}): Promise<string> {
  const body = { textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId, ...about }
  const { status, json } = await relay.api('POST', '/messages', { body })
  expect(status).toBe(202)
  return json.id
}

async function deviceOf({ deviceId }: ScriptedAgent, auth = relay.account.basic) {
  const { json } = await relay.api('GET', '/devices', { auth })
  return json.find(({ id }: { id: string }) => id === deviceId)
}

const at = '2026-03-01T15:46:11.000+07:00'

/** Returns the events of a successful send. */
function goesWell(command: Command): AgentEvent[] {
  if (command.kind !== 'send') return []
  const { cmdId } = command
  return [
    { kind: 'processed', cmdId, at },
    { kind: 'sent', cmdId, at, simNumber: 1, parts: 1 },
    { kind: 'delivered', cmdId, at, simNumber: 1 },
  ]
}

describe('an agent joins', () => {
  test('an agent joins once with a code, and afterwards with its key', async () => {
    const code = await newCode()
    const agent = connect({ identity: { credential: code } })
    await agent.online()
    expect(await deviceOf(agent)).toMatchObject({ name: 'scripted', online: true, simCards: [{ simNumber: 1 }] })
    agent.cut()
    await agent.until(() => agent.welcomes.length === 2)
    const other = connect({ identity: { credential: code } })
    await other.until(() => other.phase === 'stopped')
    expect(other.ended).toEqual(['pairing-refused'])
  })

  test('an agent joins with an enrolment token, and each agent becomes a separate device', async () => {
    const fleet = [1, 2].map(() => connect({ identity: { credential: TOKEN } }))
    await Promise.all(fleet.map((agent) => agent.online()))
    const auth = `Basic ${btoa(`${ADMIN.ADMIN_USERNAME}:${ADMIN.ADMIN_PASSWORD}`)}`
    const { json } = await relay.api('GET', '/devices', { auth })
    expect(json.map(({ id }: { id: string }) => id).sort()).toEqual(fleet.map(({ deviceId }) => deviceId).sort())
    expect(new Set(fleet.map(({ deviceId }) => deviceId)).size).toBe(2)
  })

  test('an agent joins together with the whole fleet of its site, and all are paired one after the other', async () => {
    const address = '198.51.100.7'
    const fleet = Array.from({ length: 14 }, () => connect({ identity: { credential: TOKEN }, address, chance: 1 }))
    await Promise.all(fleet.map((agent) => agent.until(() => agent.phase === 'online' || agent.ended.length > 0)))
    const refused = fleet.filter(({ phase }) => phase !== 'online')
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.flatMap(({ ended }) => ended))).toEqual(new Set(['unavailable']))
    expect(refused.filter(({ phase }) => phase === 'stopped')).toEqual([])
  })

  test("an agent joins together with a whole fleet after the fleet's relay has stopped, and none is refused", async () => {
    const keys = Array.from({ length: 100 }, () => newKeys())
    await relay.database.device.createMany({
      data: keys.map(({ publicKey }, at) => {
        const id = `storm-${at}`.padEnd(21, '-')
        return { id, accountId: relay.account.id, name: id, publicKey }
      }),
    })
    const fleet = keys.map((each, at) => {
      const identity = { deviceId: `storm-${at}`.padEnd(21, '-') }
      return new ScriptedAgent({ url: relay.url, identity, keys: each, address: `198.51.${at >> 8}.${at & 255}` })
    })
    agents.push(...fleet)
    for (const agent of fleet) agent.start()
    await Promise.all(fleet.map((agent) => agent.online()))
    // An agent gives up its first attempt after a few seconds. On a busy machine, the attempt may take longer.
    expect(fleet.flatMap(({ ended }) => ended).filter((why) => why !== 'timed-out')).toEqual([])
  })

  test('an agent joins neither with a wrong token nor with the key of another agent', async () => {
    const guesser = connect({ identity: { credential: `${TOKEN}!` } })
    await guesser.until(() => guesser.phase === 'stopped')
    expect(guesser.ended).toEqual(['pairing-refused'])
    const { deviceId } = await pairedAgent()
    const impostor = connect({ identity: { deviceId }, keys: newKeys() })
    const stranger = connect({ identity: { deviceId: 'nobody' } })
    await Promise.all([impostor, stranger].map((agent) => agent.until(() => agent.ended.length > 0)))
    expect([...impostor.ended, ...stranger.ended]).toEqual(['unauthenticated', 'unauthenticated'])
  })
})

test('a message is dispatched when it is accepted, and its states are reported back', async () => {
  const agent = await pairedAgent({ answer: goesWell })
  const id = await send(agent.deviceId)
  await agent.until(() => agent.stored === 3)
  expect(agent.commands).toMatchObject([{ kind: 'send', messageId: id, content: { text: 'hello' } }])
  expect((await relay.api('GET', `/messages/${id}`)).json.state).toBe('Delivered')
})

test('dispatches a command again that the agent did not store', async () => {
  let isDeaf = true
  const agent = await pairedAgent({ isLost: () => isDeaf })
  const ids = await Promise.all([1, 2, 3].map(() => send(agent.deviceId)))
  const where = { deviceId: agent.deviceId, dispatchedAt: { not: null } }
  await expect.poll(() => relay.database.recipient.count({ where })).toBe(3)
  isDeaf = false
  agent.cut()
  await agent.until(() => agent.commands.length === 3)
  expect(agent.commands.map((command) => command.kind === 'send' && command.messageId).sort()).toEqual(ids.sort())
})

test('messages beyond the credit of an agent wait at the relay, except urgent messages', async () => {
  const agent = await pairedAgent({ capacity: 2 })
  for (const _ of [1, 2, 3, 4]) await send(agent.deviceId)
  await agent.until(() => agent.commands.length === 2)
  const urgent = await send(agent.deviceId, { priority: 110 })
  await agent.until(() => agent.commands.length === 3)
  expect(agent.commands[2]).toMatchObject({ messageId: urgent })
  const where = { deviceId: agent.deviceId, dispatchedAt: null }
  expect(await relay.database.recipient.count({ where })).toBe(2)
})

test('stores a repeated event once', async () => {
  const agent = await pairedAgent()
  const event: AgentEvent = {
    kind: 'received',
    type: 'SMS',
    id: 'r'.repeat(21),
    receivedAt: at,
    sender: '+4915112345679',
    simNumber: 1,
    text: 'tea?',
    parts: 1,
  }
  agent.tell(event)
  await agent.until(() => agent.stored === 1)
  agent.say(JSON.stringify({ type: 'events', from: 1, tag: 'tag 1', events: [event] }))
  agent.tell({ ...event, id: 's'.repeat(21) })
  await agent.until(() => agent.stored === 2)
  const { json } = await relay.api('GET', '/inbox')
  const mine = json.filter(({ deviceId }: { deviceId: string }) => deviceId === agent.deviceId)
  expect(mine.map(({ id }: { id: string }) => id).sort()).toEqual([event.id, 's'.repeat(21)])
})

test('keeps the newer of two connections of an agent', async () => {
  const first = await pairedAgent({ chance: 1 })
  const { keys, identity, journalId } = first
  const second = connect({ keys, identity, journalId })
  await Promise.all([second.online(), first.until(() => first.ended.length === 1)])
  expect(first.ended).toEqual(['superseded'])
  const id = await send(second.deviceId)
  await second.until(() => second.commands.length === 1)
  expect(second.commands).toMatchObject([{ messageId: id }])
})

test('stops two copies of an agent and notifies the owner', async () => {
  const original = await pairedAgent()
  const { keys, identity, journalId } = original
  const copy = connect({ keys, identity, journalId })
  await Promise.any([original, copy].map((agent) => agent.until(() => agent.ended.at(-1) === 'cloned')))
  const logs = async () => JSON.stringify((await relay.api('GET', '/logs')).json)
  await expect.poll(logs).toContain('two agents used the identity')
})

test('an old copy of a journal gets no commands before it has a new journal id', async () => {
  const agent = await pairedAgent({ answer: goesWell })
  const id = await send(agent.deviceId)
  await agent.until(() => agent.stored === 3)
  agent.stop()
  const { keys, identity, journalId } = agent
  const restored = connect({ keys, identity, journalId })
  await restored.online()
  expect(restored.journalId).not.toBe(journalId)
  expect(restored.commands).toEqual([])
  expect((await relay.api('GET', `/messages/${id}`)).json.state).toBe('Delivered')
})

test('a deleted account disconnects its agents without a hint', async () => {
  const owner = await relay.addAccount()
  const { code } = (await relay.api('POST', '/devices/codes', { auth: owner.basic })).json
  const agent = connect({ identity: { credential: code } })
  await agent.online()
  await removeAccount(relay.database, systemClock, owner.id)
  await agent.until(() => agent.phase === 'stopped')
  expect(agent.ended).toEqual(['revoked'])
})

test('a deleted device is disconnected at once and cannot reconnect', async () => {
  const agent = await pairedAgent()
  expect((await relay.api('DELETE', `/devices/${agent.deviceId}`)).status).toBe(204)
  await agent.until(() => agent.phase === 'stopped')
  expect(agent.ended).toEqual(['revoked'])
  const again = connect({ keys: agent.keys, identity: agent.identity })
  await again.until(() => again.phase === 'stopped')
  expect(again.ended).toEqual(['revoked'])
})

test('a hint that a device was deleted does not disconnect a device that exists', async () => {
  const [kept, deleted] = [await pairedAgent(), await pairedAgent()]
  await publishHints(relay.database, [{ kind: 'device-revoked', deviceId: kept.deviceId }])
  await relay.database.device.update({ where: { id: deleted.deviceId }, data: { deletedAt: new Date() } })
  await publishHints(relay.database, [{ kind: 'device-revoked', deviceId: deleted.deviceId }])
  await deleted.until(() => deleted.phase === 'stopped')
  expect(kept.ended).toEqual([])
})

test('an agent gets the settings when it connects and when they change, without secrets and webhooks', async () => {
  const agent = await pairedAgent()
  const body = { messages: { limit_period: 'PerHour', limit_value: 7 }, webhooks: { signing_key: 'a key of theirs' } }
  expect((await relay.api('PATCH', '/settings', { body })).status).toBe(200)
  await agent.until(() => agent.settings.length === 2)
  expect(agent.settings[1]).toMatchObject({ messages: { limit_period: 'PerHour', limit_value: 7 } })
  expect(Object.keys(agent.settings[1] as object).sort()).toEqual(['encryption', 'messages', 'ping'])
})

test.each([
  { HASH_AFTER_SECONDS: '60' },
  { HASH_AFTER_SECONDS: '90', DELETE_RECEIVED_AFTER_SECONDS: '60' },
  { DELETE_RECEIVED_AFTER_SECONDS: '60' },
])('an agent gets the time after which the relay deletes content: %j', async (settings) => {
  const strict = await testRelay({ settings })
  const { code } = (await strict.api('POST', '/devices/codes')).json
  const agent = new ScriptedAgent({ url: strict.url, identity: { credential: code } }).start()
  await agent.online()
  expect(agent.settings[0]).toMatchObject({ privacy: { forget_after_seconds: 60 } })
  agent.stop()
  await strict.close()
})

test('stores telemetry, and the latest sample with the device', async () => {
  const agent = await pairedAgent()
  agent.telemetry({ signal: 17, queue: 0 })
  const where = { id: agent.deviceId }
  await expect.poll(async () => (await relay.database.device.findUniqueOrThrow({ where })).telemetry).not.toBeNull()
  const history = await relay.database.telemetry.findMany({ where: { deviceId: agent.deviceId } })
  expect(history.map(({ sample }) => sample)).toEqual([{ signal: 17, queue: 0 }])
})

test('stores the latest waiting report of an agent when many arrive', async () => {
  const agent = await pairedAgent()
  for (const reason of ['limit', 'pause', 'no_network'])
    agent.waiting({ sims: [{ simNumber: 1, reason }], messages: [] })
  const stored = async () => await relay.database.deviceWaiting.findUnique({ where: { deviceId: agent.deviceId } })
  await expect.poll(async () => JSON.stringify((await stored())?.report ?? null)).toContain('no_network')
  expect((await stored())?.report).toEqual({ sims: [{ simNumber: 1, reason: 'no_network' }], messages: [] })
})

test('a closed connection makes the device offline at once', async () => {
  const agent = await pairedAgent()
  agent.stop()
  await expect.poll(async () => (await deviceOf(agent)).online).toBe(false)
})

describe('a device is examined', () => {
  const ask = (deviceId: string, auth?: string) =>
    relay.api('POST', `/devices/${deviceId}/findings`, { ...(auth !== undefined && { auth }) })
  const findings = [
    { check: 'disk space', verdict: 'ok', text: '9000 MB free' },
    { check: 'SIM 1, network', verdict: 'problem', text: 'not registered', advice: 'check antenna and coverage' },
  ]

  test('a device is examined by its agent, which reports the results', async () => {
    const agent = await pairedAgent({
      answer: ({ kind, cmdId }) =>
        kind === 'examine' ? [{ kind: 'examined', cmdId, at, findings } as AgentEvent] : [],
    })
    const { status, json } = await ask(agent.deviceId)
    expect([status, json]).toEqual([200, { checkedAt: new Date(at).toISOString(), findings }])
    expect(agent.commands).toMatchObject([{ kind: 'examine' }])
    expect(await relay.database.deviceCommand.count({ where: { deviceId: agent.deviceId } })).toBe(0)
  })

  test('a device is examined unless it is offline, deleted, or of another account', async () => {
    const agent = await pairedAgent()
    expect((await ask(agent.deviceId, (await relay.addAccount()).basic)).status).toBe(404)
    expect((await ask('nobody')).status).toBe(404)
    agent.stop()
    await expect.poll(async () => (await deviceOf(agent)).online).toBe(false)
    const { status, json } = await ask(agent.deviceId)
    expect([status, json.message]).toEqual([409, expect.stringContaining('offline')])
  })
})

describe('a USSD request is sent', () => {
  const ask = (deviceId: string, body: object = { code: '*100#' }) =>
    relay.api('POST', `/devices/${deviceId}/ussd`, { body })
  const answering =
    (answer: object) =>
    ({ kind, cmdId }: Command): AgentEvent[] =>
      kind === 'ussd' ? [{ kind: 'ussd-answered', cmdId, at, ...answer } as AgentEvent] : []

  test('a USSD request is sent through the agent and gets the answer of the network', async () => {
    const agent = await pairedAgent({
      answer: answering({ outcome: 'answered', text: 'Balance 3', more: true, sessionId: 'one' }),
    })
    const { status, json } = await ask(agent.deviceId, { code: '*100#', simNumber: 1 })
    expect([status, json]).toEqual([200, { text: 'Balance 3', more: true, sessionId: 'one' }])
    expect(agent.commands).toMatchObject([{ kind: 'ussd', code: '*100#', simNumber: 1 }])
    expect(await relay.database.deviceCommand.count({ where: { deviceId: agent.deviceId } })).toBe(0)
  })

  test.each([
    ['no-answer', 504],
    ['busy', 409],
    ['no-sim', 409],
    ['refused', 409],
  ])('a USSD request is sent and the outcome %s is answered with %i', async (outcome, status) => {
    const agent = await pairedAgent({ answer: answering({ outcome }) })
    expect((await ask(agent.deviceId)).status).toBe(status)
  })

  test('a USSD request is not sent through an agent that is offline, deleted, or of another account', async () => {
    const agent = await pairedAgent()
    const { basic } = await relay.addAccount()
    const asOther = { auth: basic, body: { code: '*100#' } }
    expect((await relay.api('POST', `/devices/${agent.deviceId}/ussd`, asOther)).status).toBe(404)
    expect((await ask('nobody')).status).toBe(404)
    agent.stop()
    await expect.poll(async () => (await deviceOf(agent)).online).toBe(false)
    expect((await ask(agent.deviceId)).status).toBe(503)
  })
})
