// The key with which senders encrypt messages for one device, over HTTP from a complete relay.
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ScriptedAgent, type ScriptedAgentOptions } from '../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay
const agents: ScriptedAgent[] = []

beforeAll(async () => {
  relay = await testRelay()
})
afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop()
})
afterAll(() => relay.close())

const at = '2026-03-01T15:46:11.000+07:00'
const key = (version: number) => ({ version, publicKey: Buffer.from(`public key ${version}`).toString('base64') })
const shown = (version: number) => ({ publicKey: key(version).publicKey, keyVersion: version })

async function pair(options: Partial<ScriptedAgentOptions> = {}): Promise<ScriptedAgent> {
  const { json } = await relay.api('POST', '/devices/codes')
  return connect({ identity: { credential: json.code }, ...options })
}

async function connect(options: Partial<ScriptedAgentOptions> & Pick<ScriptedAgentOptions, 'identity'>) {
  const agent = new ScriptedAgent({ url: relay.url, capabilities: ['encrypted-data', 'public-key'], ...options })
  agents.push(agent.start())
  await agent.online()
  return agent
}

const device = async ({ deviceId }: ScriptedAgent) =>
  (await relay.api('GET', '/devices')).json.find(({ id }: { id: string }) => id === deviceId)

const octets = (length: number) => Buffer.alloc(length, 7).toString('base64')
const value = `$rsa-oaep-aes-256-gcm$v=1$k=1$${octets(256)}$${octets(12)}$${octets(20)}`

function send(deviceId: string | undefined) {
  const body = { phoneNumbers: [value], textMessage: { text: value }, isEncrypted: true, deviceId }
  return relay.api('POST', '/messages', { body })
}

test('a message encrypted with the key of an agent reaches only that agent, and unchanged', async () => {
  const other = await pair({ encryptionKey: key(1) })
  const agent = await pair({ encryptionKey: key(1) })
  expect(await device(agent)).toMatchObject(shown(1))
  expect((await send(undefined)).json.errors).toMatchObject([{ path: 'deviceId' }])
  const { status } = await send(agent.deviceId)
  expect(status).toBe(202)
  await expect.poll(() => agent.commands).toMatchObject([{ phoneNumber: value, content: { text: value } }])
  expect(other.commands).toEqual([])
})

test('a new key is shown as soon as the agent reports it, and an earlier report does not replace it', async () => {
  const agent = await pair({ encryptionKey: key(1) })
  agent.tell({ kind: 'key-replaced', at, key: key(3) })
  await expect.poll(() => device(agent)).toMatchObject(shown(3))
  agent.tell({ kind: 'key-replaced', at, key: key(2) })
  await expect.poll(() => agent.stored).toBe(2)
  expect(await device(agent)).toMatchObject(shown(3))
})

test('a device shows the fingerprint of its key, as its agent prints it', async () => {
  const agent = await pair({ encryptionKey: key(1) })
  const octets = Buffer.from(key(1).publicKey, 'base64')
  const { json } = await relay.api('GET', `/devices/${agent.deviceId}`)
  expect(json.keyFingerprint).toBe(createHash('sha256').update(octets).digest('hex'))
  for (const encryptionKey of ['-----BEGIN PUBLIC KEY-----', null]) {
    await relay.database.device.update({ where: { id: agent.deviceId ?? '' }, data: { encryptionKey } })
    const { status, json } = await relay.api('GET', `/devices/${agent.deviceId}`)
    expect([status, json.keyFingerprint]).toEqual([200, undefined])
  }
})

test('an encrypted message for an agent of an earlier release, which has no key, is refused', async () => {
  const agent = await pair({ encryptionKey: key(1) })
  const { identity, keys, journalId } = agent
  agent.stop()
  const earlier = await connect({ identity, keys, journalId })
  expect(await device(earlier)).not.toHaveProperty('publicKey')
  const { status, json } = await send(earlier.deviceId)
  expect([status, json.message]).toEqual([400, expect.stringContaining('has no public key')])
})
