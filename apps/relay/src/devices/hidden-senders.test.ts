// Accounts that hide the numbers of senders from the relay, over HTTP from a complete relay.
import { generateKeyPairSync } from 'node:crypto'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ScriptedAgent, type ScriptedAgentOptions } from '../link/testing/scripted-agent.ts'
import { testPhone } from '../mobile/testing/test-phone.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay
const agents: ScriptedAgent[] = []
let addresses = 0

beforeAll(async () => {
  relay = await testRelay({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
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

/** Returns a value that has the form of a key encrypted with this version of the account's key. */
function encryptedKey(version: number): string {
  return `$rsa-oaep-aes-256-gcm$v=1$k=${version}$${'A'.repeat(344)}$${'B'.repeat(16)}$${'C'.repeat(48)}`
}

const able = ['encrypted-data', 'public-key', 'number-alias'] as const
const id = (letter: string) => letter.repeat(16)
const alias = (letter: string) => `alias:${id('k')}${letter.repeat(48)}`
const aliasKey = { id: id('k'), key: encryptedKey(1) }

async function pair(options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
  const { json } = await relay.api('POST', '/devices/codes')
  const agent = connect({ identity: { credential: json.code }, capabilities: able, ...options })
  await agent.online()
  return agent
}

function connect(options: Partial<ScriptedAgentOptions> & Pick<ScriptedAgentOptions, 'identity'>): ScriptedAgent {
  // A relay limits how many agents of one address may be paired at the same time.
  const agent = new ScriptedAgent({ url: relay.url, address: `198.51.100.${++addresses}`, ...options })
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
  const next = { id: id('n'), key: encryptedKey(2) }
  agent.tell({ kind: 'alias-key-changed', at, key: next })
  await expect.poll(() => agent.stored).toBe(1)
  expect(await aliasKeys(agent)).toEqual([aliasKey, next])
  // The key of the account now has another version.
  const again = { ...aliasKey, key: encryptedKey(3) }
  agent.tell({ kind: 'alias-key-changed', at, key: again })
  await expect.poll(() => agent.stored).toBe(2)
  expect(await aliasKeys(agent)).toEqual([next, again])
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
    { path: 'deviceId', message: expect.stringContaining('different devices reported the aliases') },
  ])
  expect(await errors([alias('d')])).toMatchObject([
    { path: 'deviceId', message: expect.stringContaining('an alias for which no device has the key') },
  ])
  expect((await send([alias('d')], { deviceId: agent.deviceId })).status).toBe(202)
  expect(await errors([alias('a'), alias('a')])).toMatchObject([{ path: 'phoneNumbers[1]' }])
})

const reply = async (letter: string) => {
  const { status, json } = await send([alias(letter)])
  return [status, json.deviceId ?? json.errors?.[0].message]
}

test('the keys of a deleted device stay readable, and its agent, when paired again, sends to all of its earlier aliases', async () => {
  const earlierKey = { id: id('e'), key: encryptedKey(1) }
  const earlierAlias = `alias:${id('e')}${'z'.repeat(48)}`
  const before = await pair({ aliasKey: earlierKey })
  before.tell({ kind: 'alias-key-changed', at, key: aliasKey }, received(alias('a'), { id: 'd1' }))
  await expect.poll(() => before.stored).toBe(2)
  await relay.api('DELETE', `/devices/${before.deviceId}`)
  expect(await reply('a')).toEqual([400, expect.stringContaining('was deleted: pair its agent again')])
  expect(await aliasKeys(before)).toBeUndefined()
  const { json: all } = await relay.api('GET', '/devices?includeDeleted=true')
  expect(all).toMatchObject([
    { id: before.deviceId, online: false, deletedAt: expect.any(String), aliasKeys: [earlierKey, aliasKey] },
  ])

  const again = await pair({ aliasKey })
  expect(await reply('a')).toEqual([202, again.deviceId])
  // The inbox is empty, and only the deleted device reported this key. Both devices have another key in common.
  const { status, json } = await send([earlierAlias])
  expect([status, json.deviceId]).toEqual([202, again.deviceId])
  const stranger = await pair({ aliasKey: { ...aliasKey, id: id('s') } })
  expect(await reply('a')).toEqual([202, again.deviceId])
  expect(stranger.commands).toEqual([])
})

test('an agent that is paired again without deleting its device gets the messages to its aliases', async () => {
  const before = await pair({ aliasKey })
  before.tell(received(alias('a'), { id: 'p1' }))
  await expect.poll(() => before.stored).toBe(1)
  before.stop()
  const again = await pair({ aliasKey })
  expect(await reply('a')).toEqual([202, again.deviceId])
})

test('a key of aliases that is not encrypted is ignored, and an unchanged key is not written again', async () => {
  const agent = await pair({ aliasKey: { ...aliasKey, key: 'in clear' } })
  agent.tell({ kind: 'alias-key-changed', at, key: { ...aliasKey, key: 'in clear' } })
  await expect.poll(() => agent.stored).toBe(1)
  expect(await aliasKeys(agent)).toBeUndefined()
  const changed = { kind: 'alias-key-changed', at, key: aliasKey } as const
  const sameAgain = { ...changed, key: { ...aliasKey, key: aliasKey.key.replaceAll('A', 'D') } }
  agent.tell(changed)
  await expect.poll(() => agent.stored).toBe(2)
  agent.tell(sameAgain)
  await expect.poll(() => agent.stored).toBe(3)
  expect(await aliasKeys(agent)).toEqual([aliasKey])
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

  const phone = await testPhone(relay, relay.account, { capabilities: ['mms'] })
  const attachments = [{ contentType: 'text/plain', data: 'aGVsbG8=' }]
  const mms = { textMessage: undefined, mmsMessage: { attachments }, deviceId: phone.id }
  const { status, json } = await send(['+12025550123', alias('a')], mms)
  expect([status, json.errors]).toMatchObject([
    400,
    [{ path: 'phoneNumbers[1]', message: expect.stringContaining('no MMS can be sent') }],
  ])
  expect((await send(['+12025550123'], mms)).status).toBe(202)
})

test('hiding senders is refused without a key, and while an earlier agent or a phone reports senders in clear', async () => {
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
  // Simulates a device that was upgraded before the check and downgraded after it.
  await relay.database.device.update({ where: { id: earlier.deviceId }, data: { capabilities: ['number-alias'] } })
  expect((await hide()).status).toBe(200)
  await expect.poll(() => earlier.ended).toEqual(['unsupported'])
})

test('an earlier agent that connects while senders become hidden is disconnected', async () => {
  const before = await pair({ capabilities: ['public-key'] })
  before.stop()
  const where = { id: before.deviceId }
  await expect.poll(async () => (await relay.database.device.findUnique({ where }))?.leaseUntil).toBeNull()
  // Simulates a device that was upgraded before the check and downgraded after it.
  await relay.database.device.update({ where, data: { capabilities: ['number-alias'] } })
  const { identity, keys, journalId } = before
  const earlier = await relay.database.$transaction(async (statements) => {
    await statements.$executeRaw`SELECT 1 FROM devices WHERE id = ${before.deviceId} FOR UPDATE`
    const connecting = connect({ identity, keys, journalId, capabilities: ['public-key'] })
    // True when the relay has checked the settings and waits for the row of the device.
    const waiting = () => relay.database.$queryRaw`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(waiting).toHaveLength(1)
    expect((await hide()).status).toBe(200)
    return connecting
  })
  await expect.poll(() => earlier.ended).toEqual(['unsupported'])
  await expect.poll(async () => (await relay.database.device.findUnique({ where }))?.leaseUntil).toBeNull()
})

test('a phone cannot be registered while senders are hidden', async () => {
  expect((await hide()).status).toBe(200)
  const { status, json } = await relay.request('POST', '/mobile/v1/device', { body: { name: 'Pixel' } })
  expect([status, json.message]).toEqual([403, expect.stringContaining('hides the numbers of senders')])
})
