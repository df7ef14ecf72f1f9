// PIN entry and modem restart, over HTTP from a complete relay with an agent at the other end of the link.
import type { Command } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ScriptedAgent, type ScriptedAgentOptions } from '../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay
let agent: ScriptedAgent | undefined
let paired = 0
beforeAll(async () => {
  relay = await testRelay({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterEach(() => agent?.stop())
afterAll(() => relay.close())

const at = '2026-03-01T15:46:11.000+07:00'
const PIN = '83614729'

async function connect(options: Partial<ScriptedAgentOptions>): Promise<ScriptedAgent> {
  const { json } = await relay.api('POST', '/devices/codes')
  const identity = { credential: json.code }
  paired += 1
  // The relay limits how many agents of one address are paired in a minute.
  const address = `192.0.2.${paired}`
  agent = new ScriptedAgent({ url: relay.url, identity, address, capabilities: ['modem-commands'], ...options }).start()
  await agent.online()
  return agent
}

const answering =
  (answer: object) =>
  ({ cmdId }: Command): AgentEvent[] => [{ kind: 'modem-answered', cmdId, at, ...answer } as AgentEvent]
const post = (path: string, body: object) => relay.api('POST', `/devices/${agent?.deviceId}${path}`, { body })
const enterPin = (pin = PIN) => post('/pin', { simNumber: 1, pin })

test('the agent receives the PIN, and the answer shows that the SIM is unlocked', async () => {
  const { commands } = await connect({ answer: answering({ outcome: 'done' }) })
  const { status, json } = await enterPin()
  expect([status, json]).toEqual([200, { unlocked: true }])
  expect(commands).toMatchObject([{ kind: 'enter-pin', simNumber: 1, pin: PIN }])
})

test('a wrong PIN is answered with the attempts left', async () => {
  const refusal = { reason: 'The SIM refused the PIN.', code: 'modem.pin-wrong', triesLeft: 2 }
  await connect({ answer: answering({ outcome: 'refused', ...refusal }) })
  const { status, json } = await enterPin()
  expect([status, json]).toEqual([200, { unlocked: false, ...refusal }])
})

test('the PIN is saved on request, and the answer shows whether it was saved', async () => {
  const { commands } = await connect({ answer: answering({ outcome: 'done', saved: true }) })
  const { json } = await post('/pin', { simNumber: 1, pin: PIN, save: true })
  expect(json).toEqual({ unlocked: true, saved: true })
  expect(commands).toMatchObject([{ kind: 'enter-pin', save: true }])
})

test('the answer contains the reason why an accepted PIN was not saved', async () => {
  const notSaved = { saved: false, code: 'pin.set-on-machine', reason: 'SIM_1_PIN takes precedence' } as const
  await connect({ answer: answering({ outcome: 'done', ...notSaved }) })
  const { json } = await post('/pin', { simNumber: 1, pin: PIN, save: true })
  expect(json).toEqual({ unlocked: true, ...notSaved })
})

test('an older agent does not save the PIN', async () => {
  await connect({ answer: answering({ outcome: 'done' }) })
  expect((await post('/pin', { simNumber: 1, pin: PIN, save: true })).json).toEqual({ unlocked: true, saved: false })
})

test('the PIN is stored only encrypted, and appears in no log', async () => {
  await connect({ answer: () => [] })
  const entering = enterPin()
  const stored = async () => JSON.stringify(await relay.database.deviceCommand.findMany())
  await expect.poll(stored).toContain('enter-pin')
  await expect.poll(() => agent?.commands.length).toBe(1)
  expect(await stored()).not.toContain(PIN)
  const [command] = agent?.commands ?? []
  agent?.tell({ kind: 'modem-answered', cmdId: command?.cmdId ?? '', at, outcome: 'done' })
  expect((await entering).json).toEqual({ unlocked: true })
  expect(await relay.database.deviceCommand.count()).toBe(0)
  const logs = async () => JSON.stringify((await relay.api('GET', '/logs')).json)
  await expect.poll(logs).toContain('SIM 1 unlocked with its PIN')
  expect(await logs()).not.toContain(PIN)
  expect(relay.logged.join('')).not.toContain(PIN)
})

test.each(['123', '123456789', '12a4', ' 1234'])('refuses %j without asking the agent', async (pin) => {
  const { commands } = await connect({ answer: answering({ outcome: 'done' }) })
  const { status, json } = await enterPin(pin)
  expect([status, json.errors[0].path]).toEqual([400, 'pin'])
  expect(JSON.stringify({ ...json, requestId: '' })).not.toContain(pin)
  expect(commands).toEqual([])
})

test.each(['/pin', '/restart-modem'])('%s is refused for an agent that is too old', async (path) => {
  const { commands } = await connect({ capabilities: ['encrypted-data'] })
  const { status, json } = await post(path, { simNumber: 1, pin: PIN })
  expect([status, json.message]).toEqual([409, expect.stringContaining('update the agent')])
  expect(commands).toEqual([])
})

test('restarts the modem of a SIM', async () => {
  const { commands } = await connect({ answer: answering({ outcome: 'done' }) })
  expect((await post('/restart-modem', { simNumber: 2 })).status).toBe(202)
  expect(commands).toMatchObject([{ kind: 'restart-modem', simNumber: 2 }])
})

test('reports why a modem cannot be restarted', async () => {
  await connect({ answer: answering({ outcome: 'refused', reason: 'the modem of SIM 2 is not connected' }) })
  const { status, json } = await post('/restart-modem', { simNumber: 2 })
  expect([status, json.message]).toEqual([409, 'the modem of SIM 2 is not connected'])
})

test('answers 409 for a device that is offline', async () => {
  await connect({})
  agent?.stop()
  const isOnline = async () => (await relay.api('GET', `/devices/${agent?.deviceId}`)).json.online
  await expect.poll(isOnline).toBe(false)
  const { status, json } = await enterPin()
  expect([status, json.message]).toEqual([409, expect.stringContaining('offline')])
})
