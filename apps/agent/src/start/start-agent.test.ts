import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readTelemetry } from '@smsgw/contract/link/telemetry'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { encryptValue } from '../encryption/encrypt-value.ts'
import { askAgent } from '../status/ask-agent.ts'
import { AgentFixture } from '../testing/agent-fixture.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { isSubmitting } from '../testing/is-submitting.ts'

let emulator: EmulatorProcess
let fixture: AgentFixture

beforeAll(async () => {
  emulator = await EmulatorProcess.start(['--boot-time', '0'])
})

afterAll(() => emulator.stop())

beforeEach(() => {
  fixture = new AgentFixture()
})

afterEach(() => fixture.dispose())

test('pairs with its credential, and is still the same device after the next start', async () => {
  await fixture.start([emulator.pty])
  await fixture.relay.heard('started')
  expect(fixture.relay.frames.map(({ type }) => type).slice(0, 2)).toEqual(['pair', 'hello'])
  await fixture.stop()
  await expect.poll(() => fixture.relay.isConnected).toBe(false)
  await fixture.start([emulator.pty], { isPaired: true })
  await expect.poll(() => fixture.agent?.status().link).toMatchObject({ phase: 'online', deviceId: 'device-1' })
  expect(fixture.relay.frames.filter(({ type }) => type === 'pair')).toHaveLength(1)
})

test('logs no disconnection if the relay stops at the same time', async () => {
  await fixture.start([emulator.pty])
  await fixture.ready()
  fixture.relay.goAway(0)
  await fixture.stop()
  expect(fixture.log.filter((line) => line.includes('disconnected from the relay'))).toEqual([])
})

test('sends telemetry right after connecting', async () => {
  await fixture.start([emulator.pty])
  const samples = () => fixture.relay.frames.filter(({ type }) => type === 'telemetry')
  await expect.poll(samples).toHaveLength(1)
  expect(readTelemetry((samples()[0] as { sample?: unknown }).sample)).toMatchObject({
    platform: `${process.platform} ${process.arch}`,
    queue: { open: 0 },
    journal: { sizeBytes: expect.any(Number), fsyncMs: expect.any(Number) },
  })
})

test('sends a message and reports the result', async () => {
  await fixture.start([emulator.pty])
  await fixture.ready()
  fixture.relay.send('c1', '+447700900555', 'Hello')
  await fixture.relay.heard('sent', { cmdId: 'c1' })
  await expect.poll(() => fixture.agent?.status().link.eventsWaiting).toBe(0)
})

test('decrypts messages with its own key, also with the previous key after a rotation', async () => {
  await fixture.start([emulator.pty])
  await fixture.ready()
  const reported = () => fixture.relay.frames.flatMap((frame) => (frame.type === 'hello' ? [frame.encryptionKey] : []))
  const [first] = reported()
  expect(first).toMatchObject({ version: 1 })
  const rotated = await askAgent(fixture.dataDir, { ask: 'rotate-encryption-key' })
  expect(rotated).toMatchObject({ version: 2, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) })
  await fixture.relay.heard('key-replaced', { key: expect.objectContaining({ version: 2 }) })
  await fixture.relay.heard('logged', { module: 'encryption' })
  fixture.relay.close(1001, 'restart')
  await expect.poll(() => reported().at(-1)).toMatchObject({ version: 2 })
  for (const [index, key] of [first, reported().at(-1)].entries()) {
    if (key === undefined) throw new Error('the agent has not reported its key')
    const number = encryptValue(key, `+44770090055${index}`)
    const content = { content: { text: encryptValue(key, 'secret') }, isEncrypted: true }
    fixture.relay.send(`c${index}`, number, '', content)
    await fixture.relay.heard('sent', { cmdId: `c${index}` })
  }
  expect(JSON.stringify([fixture.relay.frames, fixture.log])).not.toContain('44770090055')
})

test('reports the key of its aliases before their first use, and again after a restart', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const inbox_public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  fixture.relay.settings = { encryption: { inbox_public_key, inbox_key_version: 1, inbox_hide_sender: true } }
  const inHello = () => fixture.relay.frames.flatMap((frame) => (frame.type === 'hello' ? [frame.aliasKey] : []))
  await fixture.start([])
  await fixture.relay.heard('alias-key-changed')
  expect(inHello()).toEqual([undefined])
  await fixture.stop()
  await fixture.start([], { isPaired: true })
  await expect.poll(() => inHello().length).toBe(2)
  const changes = () => fixture.relay.events.filter(({ kind }) => kind === 'alias-key-changed')
  const [{ key } = {}] = changes() as { readonly key?: object }[]
  expect(inHello()[1]).toEqual({ ...key, key: expect.stringContaining('$k=1$') })
  fixture.relay.settings = {}
  await fixture.stop()
  await fixture.start([], { isPaired: true })
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('online')
  await fixture.stop()
  await fixture.start([], { isPaired: true })
  await expect.poll(() => inHello().length).toBe(4)
  expect([inHello()[3], changes()]).toEqual([undefined, [expect.anything()]])
})

test('applies settings before the first message of a connection', async () => {
  fixture.relay.settings = { messages: { limit_period: 'PerDay', limit_value: 1 } }
  await fixture.start([emulator.pty])
  await fixture.ready()
  fixture.relay.send('c1', '+447700900555', 'one')
  fixture.relay.send('c2', '+447700900556', 'two')
  await fixture.relay.heard('sent', { cmdId: 'c1' })
  await expect.poll(() => fixture.agent?.status().queue).toEqual({ open: 1, waiting: 1, inDoubt: 0 })
})

test('refuses an invalid ping interval and logs it once', async () => {
  fixture.relay.settings = { ping: { interval_seconds: 1e-9 } }
  await fixture.start([emulator.pty])
  await fixture.ready()
  fixture.relay.send('c1', '+447700900555', 'Hello')
  await fixture.relay.heard('sent', { cmdId: 'c1' })
  expect(fixture.relay.events.filter(({ kind }) => kind === 'pinged')).toEqual([])
  expect(fixture.log.filter((line) => line.includes('invalid settings'))).toEqual([
    'the relay sent invalid settings (ping.interval_seconds); the agent keeps their previous values',
  ])
})

test('reports why a message waits, shows it in the status, and reports the end', async () => {
  fixture.relay.settings = { messages: { limit_period: 'PerHour', limit_value: 1 } }
  await fixture.start([emulator.pty], { waitingReportMs: 200 })
  await fixture.ready()
  const reports = () => fixture.relay.frames.filter((frame) => frame.type === 'waiting').map(({ report }) => report)
  fixture.relay.send('c1', '+447700900555', 'one')
  await fixture.relay.heard('sent', { cmdId: 'c1' })
  fixture.relay.send('c2', '+447700900556', 'two')
  await expect
    .poll(() => fixture.agent?.status().waiting)
    .toMatchObject([{ count: 1, reason: 'limit', until: expect.any(String) }])
  await expect
    .poll(() => reports().at(-1))
    .toMatchObject({ messages: [{ reason: 'limit', until: expect.any(String), simNumber: 1, cmdIds: ['c2'] }] })
  fixture.relay.send('c3', '+447700900557', 'urgent', { priority: 100 })
  await fixture.relay.heard('sent', { cmdId: 'c3' })
  fixture.relay.give({ kind: 'cancel', cmdId: 'c2' })
  await expect.poll(() => fixture.agent?.status().waiting).toEqual([])
  await expect.poll(() => reports().at(-1)).toEqual({ sims: [], messages: [] })
})

test('a restarted process sends waiting messages without a relay, with the stored settings', async () => {
  fixture.relay.settings = { messages: { limit_period: 'PerDay', limit_value: 1 } }
  await fixture.start([])
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('online')
  fixture.relay.send('c1', '+447700900555', 'one')
  fixture.relay.send('c2', '+447700900556', 'two')
  await fixture.relay.heard('processed', { cmdId: 'c2' })
  await fixture.stop()
  fixture.relay.refusal = { at: 'hello', code: 1013, reason: 'unavailable' }
  await fixture.start([emulator.pty])
  await expect.poll(() => fixture.agent?.status().queue).toEqual({ open: 1, waiting: 1, inDoubt: 0 })
})

test('after a power cut, waiting messages are sent only after the relay was reached once', async () => {
  await fixture.start([])
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('online')
  fixture.relay.send('c1', '+447700900555', 'one')
  await fixture.relay.heard('processed', { cmdId: 'c1' })
  await fixture.stop()
  fixture.bootId = 'second-boot'
  fixture.relay.refusal = { at: 'hello', code: 1013, reason: 'unavailable' }
  await fixture.start([emulator.pty])
  await expect.poll(() => fixture.agent?.status().modems).toMatchObject([{ state: 'ready' }])
  await expect.poll(() => fixture.relay.connections).toBeGreaterThan(2)
  expect(fixture.agent?.status().queue).toEqual({ open: 1, waiting: 1, inDoubt: 0 })
  fixture.relay.refusal = undefined
  await fixture.relay.heard('sent', { cmdId: 'c1' })
})

test('an agent stops sending when its device is deleted, also after a restart', async () => {
  await fixture.start([])
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('online')
  fixture.relay.send('c1', '+447700900555', 'one')
  await fixture.relay.heard('processed', { cmdId: 'c1' })
  fixture.relay.close(4403, 'the device was deleted')
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('stopped')
  await fixture.stop()
  fixture.relay.refusal = { at: 'hello', code: 4403, reason: 'the device was deleted' }
  await fixture.start([emulator.pty])
  await expect.poll(() => fixture.agent?.status().modems).toMatchObject([{ state: 'ready' }])
  expect(fixture.agent?.status()).toMatchObject({ link: { phase: 'stopped' }, queue: { open: 1, waiting: 1 } })
})

test('a stop waits for the part that the modem is sending, and the part is reported before the link closes', async () => {
  await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-slow', options: { delayMs: 6000, times: 1 } })
  await fixture.start([emulator.pty])
  await fixture.ready()
  fixture.relay.send('c1', '+447700900555', 'Hello')
  await fixture.relay.heard('processed', { cmdId: 'c1' })
  await expect.poll(() => askAgent(fixture.dataDir, { ask: 'examine' }).then(isSubmitting)).toBe(true)
  await fixture.stop()
  expect(fixture.relay.events).toContainEqual(expect.objectContaining({ kind: 'sent', cmdId: 'c1' }))
})

test('the control socket answers status and USSD requests, and is accessible to its owner only', async () => {
  await fixture.start([emulator.pty])
  await fixture.ready()
  const status = await askAgent(fixture.dataDir, { ask: 'status' })
  expect(status).toMatchObject({
    pid: process.pid,
    link: { phase: 'online' },
    modems: [{ simNumber: 1, state: 'ready', port: emulator.pty }],
    sims: [{ simNumber: 1, state: 'ready', numberEnd: '001' }],
  })
  expect(JSON.stringify(status)).not.toContain('+447700900001')
  const reply = await askAgent(fixture.dataDir, { ask: 'ussd', code: '*100#' })
  expect(reply).toMatchObject({ outcome: 'answered', text: expect.stringContaining('balance') })
  expect(statSync(join(fixture.dataDir, 'agent.sock')).mode & 0o777).toBe(0o600)
  await fixture.stop()
  expect(await askAgent(fixture.dataDir, { ask: 'status' })).toBeUndefined()
})

test('examines itself when the relay requests it, and reports no phone numbers in the findings', async () => {
  await fixture.start([emulator.pty])
  await fixture.ready()
  for (const cmdId of ['c1', 'c2']) fixture.relay.give({ kind: 'examine', cmdId })
  await fixture.relay.heard('examined', { cmdId: 'c1' })
  await fixture.relay.heard('examined', { cmdId: 'c2' })
  const { findings } = fixture.relay.events.find(({ cmdId }) => cmdId === 'c1') as { findings: object[] }
  for (const check of ['agent', 'disk space', 'clock', `port ${emulator.pty}`, 'SIM 1, network', 'link'])
    expect(findings).toContainEqual(expect.objectContaining({ check, verdict: expect.any(String) }))
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'network.home', simNumber: 1, values: { operator: expect.any(String) } }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ check: 'SIM 1, card', verdict: 'ok' }))
  expect(JSON.stringify(findings)).not.toContain('+4477')
})

test('a revoked agent stops connecting and shows the reason', async () => {
  await fixture.start([emulator.pty])
  await fixture.relay.heard('started')
  fixture.relay.close(4403, 'the device was deleted')
  await expect.poll(() => fixture.agent?.status().link.phase).toBe('stopped')
  expect(fixture.agent?.status().link.problem).toContain('the device was deleted')
  expect(fixture.relay.connections).toBe(1)
})

test('the identity file is readable by its owner only and contains no credential', async () => {
  await fixture.start([emulator.pty])
  await fixture.relay.heard('started')
  const file = join(fixture.dataDir, 'agent-identity.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8')).relay).toEqual({ url: 'in-process', deviceId: 'device-1' })
  expect(readFileSync(file, 'utf8')).not.toContain('one-time-code')
})
