// Accounts that hide the numbers of senders from the relay, over HTTP from a complete relay.
import { generateKeyPairSync } from 'node:crypto'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ScriptedAgent, type ScriptedAgentOptions } from '../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay
const agents: ScriptedAgent[] = []

beforeAll(async () => {
  relay = await testRelay()
})
beforeEach(async () => {
  await relay.database.device.deleteMany()
  await relay.api('PATCH', '/settings', { body: { encryption: null } })
})
afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop()
})
afterAll(() => relay.close())

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const inbox_public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const hide = () =>
  relay.api('PATCH', '/settings', {
    body: { encryption: { inbox_public_key, inbox_key_version: 1, inbox_hide_sender: true } },
  })

const able = ['encrypted-data', 'public-key', 'number-alias'] as const
const id = (letter: string) => letter.repeat(16)
const alias = (letter: string) => `alias:${id('k')}${letter.repeat(48)}`
const aliasKey = { id: id('k'), key: 'encrypted' }

async function pair(options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
  const { json } = await relay.api('POST', '/devices/codes')
  const agent = connect({ identity: { credential: json.code }, capabilities: able, ...options })
  await agent.online()
  return agent
}

function connect(options: Partial<ScriptedAgentOptions> & Pick<ScriptedAgentOptions, 'identity'>): ScriptedAgent {
  const agent = new ScriptedAgent({ url: relay.url, ...options })
  agents.push(agent.start())
  return agent
}

const at = '2026-03-01T15:46:11.000+07:00'
const received = (sender: string, more = {}) =>
  ({ kind: 'received', type: 'SMS', receivedAt: at, simNumber: 1, parts: 1, text: 'x', sender, ...more }) as Extract<
    AgentEvent,
    { kind: 'received' }
  >

const send = (phoneNumbers: readonly string[], more: object = {}) =>
  relay.api('POST', '/messages', { body: { phoneNumbers, textMessage: { text: 'Yes' }, ...more } })

const aliasKeys = async ({ deviceId }: ScriptedAgent) =>
  (await relay.api('GET', '/devices')).json.find((one: { id: string }) => one.id === deviceId)?.aliasKeys

test('shows all alias keys that an agent has reported, the latest last', async () => {
  const agent = await pair({ aliasKey })
  expect(await aliasKeys(agent)).toEqual([aliasKey])
  const next = { id: id('n'), key: 'next' }
  agent.tell({ kind: 'alias-key-changed', at, key: next })
  await expect.poll(() => agent.stored).toBe(1)
  expect(await aliasKeys(agent)).toEqual([aliasKey, next])
  agent.tell({ kind: 'alias-key-changed', at, key: { ...aliasKey, key: 'again' } })
  await expect.poll(() => agent.stored).toBe(2)
  expect(await aliasKeys(agent)).toEqual([next, { ...aliasKey, key: 'again' }])
  const without = await pair()
  expect(await aliasKeys(without)).toBeUndefined()
})

test('an answer to an alias is sent by the device that reported it, and belongs to its conversation', async () => {
  const other = await pair()
  const agent = await pair()
  agent.tell(received(alias('a'), { id: 'r1' }), received(alias('b'), { id: 'r2' }))
  other.tell(received(alias('c'), { id: 'r3' }))
  await expect.poll(() => [agent.stored, other.stored]).toEqual([2, 1])
  expect((await send([alias('a'), alias('b')])).status).toBe(202)
  await expect.poll(() => agent.commands).toMatchObject([{ phoneNumber: alias('a') }, { phoneNumber: alias('b') }])
  expect(other.commands).toEqual([])
  const { json: thread } = await relay.api('GET', `/conversations/${alias('a')}`)
  expect(thread.map(({ direction }: { direction: string }) => direction)).toEqual(['out', 'in'])
  const { json: found } = await relay.api('GET', `/inbox?sender=${alias('b')}`)
  expect(found).toMatchObject([{ id: 'r2', sender: alias('b') }])

  const errors = async (...request: Parameters<typeof send>) => (await send(...request)).json.errors
  expect(await errors([alias('a'), alias('c')])).toMatchObject([
    { path: 'deviceId', message: expect.stringContaining('differs between the aliases') },
  ])
  expect(await errors([alias('d')])).toMatchObject([
    { path: 'deviceId', message: expect.stringContaining('no message from an alias') },
  ])
  expect((await send([alias('d')], { deviceId: agent.deviceId })).status).toBe(202)
  expect(await errors([alias('a'), alias('a')])).toMatchObject([{ path: 'phoneNumbers[1]' }])
})

test('the alias of a blocked sender stays blocked', async () => {
  const agent = await pair()
  agent.tell(received(alias('a'), { id: 'b1' }))
  await expect.poll(() => agent.stored).toBe(1)
  await relay.api('PATCH', `/conversations/${alias('a')}`, { body: { blocked: true } })
  agent.tell(received(alias('a'), { id: 'b2' }))
  await expect.poll(() => agent.stored).toBe(2)
  const { json } = await relay.api('GET', `/conversations/${alias('a')}/details`)
  expect(json).toMatchObject({ blockedAt: expect.any(String), unread: 0 })
})

test('a message to an alias is refused for a device without aliases, and for an MMS', async () => {
  const earlier = await pair({ capabilities: ['public-key'] })
  const refused = await send([alias('a')], { deviceId: earlier.deviceId })
  expect(refused.json.errors).toMatchObject([{ path: 'deviceId', message: expect.stringContaining('to an alias') }])
})

test('hiding senders is refused without a key, and while an earlier agent or a phone reports them in clear', async () => {
  const only = await relay.api('PATCH', '/settings', { body: { encryption: { inbox_hide_sender: true } } })
  expect(only.json.errors).toMatchObject([{ path: 'encryption.inbox_public_key' }])
  await pair({ capabilities: ['public-key'] })
  const phone = await relay.database.device.create({
    data: { id: 'p1', accountId: relay.account.id, name: 'Pixel', phoneTokenHash: 'x' },
  })
  const { status, json } = await hide()
  expect([status, json.errors]).toMatchObject([
    400,
    [
      { path: 'encryption.inbox_hide_sender', message: expect.stringContaining('the agent of "scripted"') },
      { path: 'encryption.inbox_hide_sender', message: expect.stringContaining(`the phone "${phone.name}"`) },
    ],
  ])
  await relay.database.device.deleteMany()
  await pair()
  expect((await hide()).status).toBe(200)
})

test('while senders are hidden, an earlier agent cannot connect, and keeps its messages until it is upgraded', async () => {
  expect((await hide()).status).toBe(200)
  const { json } = await relay.api('POST', '/devices/codes')
  const earlier = connect({ identity: { credential: json.code }, capabilities: ['public-key'] })
  await expect.poll(() => earlier.ended).toEqual(['unsupported'])
  earlier.tell(received('+447700900123', { id: 'c1' }))
  expect(earlier.stored).toBe(0)
  const { identity, keys, journalId } = earlier
  const upgraded = connect({ identity, keys, journalId, capabilities: able })
  await upgraded.online()
  upgraded.tell(received(alias('a'), { id: 'c1' }))
  await expect.poll(() => upgraded.stored).toBe(1)
  const logs = async () => JSON.stringify((await relay.api('GET', '/logs')).json)
  await expect.poll(logs).toContain('hides senders, but this agent cannot hide them: upgrade the agent')
})

test('a connected earlier agent is disconnected when senders become hidden', async () => {
  const earlier = await pair({ capabilities: ['public-key'] })
  // Its device was upgraded before the check, and downgraded after it.
  await relay.database.device.update({ where: { id: earlier.deviceId }, data: { capabilities: ['number-alias'] } })
  expect((await hide()).status).toBe(200)
  await expect.poll(() => earlier.ended).toEqual(['unsupported'])
})

test('a phone cannot be registered while senders are hidden', async () => {
  expect((await hide()).status).toBe(200)
  const { status, json } = await relay.request('POST', '/mobile/v1/device', { body: { name: 'Pixel' } })
  expect([status, json.message]).toEqual([403, expect.stringContaining('hides the numbers of senders')])
})
