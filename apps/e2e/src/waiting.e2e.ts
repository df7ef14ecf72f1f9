import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { startPostgres } from './house/fleet.ts'
import { House } from './house/house.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import type { PostgresServer } from './house/machine/postgres-server.ts'
import { HouseProcess } from './house/machine/process.ts'

let house: House
let server: PostgresServer
let folder: string
let numbers = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-waiting-'))
  chmodSync(folder, 0o755)
  const { postgres, url } = await startPostgres(folder)
  server = postgres
  house = await House.start({
    relay: { DATABASE_URL: url },
    // Long enough for the last test, which checks the waiting reasons in several places before these times have passed.
    agent: { IN_DOUBT_SECONDS: '80', IN_DOUBT_HOLD_SECONDS: '60', SEND_WHILE_ROAMING: '0' },
  })
})

afterAll(async () => {
  await house?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

afterEach(async () => {
  await settings({ limit_period: null, limit_value: null, send_interval_min: null, send_interval_max: null })
  await settings({ work_hours_enabled: null, work_hours_start: null, work_hours_end: null })
})

interface Waiting {
  readonly reason: string
  readonly until?: string
  readonly message: string
}

const settings = (messages: object) => house.api.ask('PATCH', '/settings', { messages })

function newNumber(): string {
  numbers += 1
  return `+4474001${String(numbers).padStart(5, '0')}`
}

function send(more: object = {}): Promise<string> {
  return house.api.send({ phoneNumbers: [newNumber()], textMessage: { text: 'Hello' }, ...more })
}

const waitingOf = async (id: string): Promise<Waiting | undefined> =>
  ((await house.api.message(id)) as { waiting?: Waiting }).waiting

/** Waits until the message shows the reason, and checks that its timeline and its conversation show the same reason. */
async function untilWaits(id: string, reason: string): Promise<Waiting> {
  const waiting = await eventually(
    () => waitingOf(id),
    (found) => found?.reason === reason,
  )
  const { json: timeline } = await house.api.ask('GET', `/messages/${id}/timeline`)
  expect(timeline.entries.at(-1)).toMatchObject({ code: reason })
  const [{ phoneNumber = '' } = {}] = (await house.api.message(id)).recipients
  const { json: thread } = await house.api.ask('GET', `/conversations/${encodeURIComponent(phoneNumber)}`)
  expect(thread.find((entry: { id: string }) => entry.id === id).waiting).toMatchObject({ reason })
  return waiting as Waiting
}

async function untilSent(id: string): Promise<void> {
  await house.api.until(id, ({ state }) => state === 'Sent' || state === 'Delivered')
  expect(await waitingOf(id)).toBeUndefined()
  const { json } = await house.api.ask('GET', `/messages/${id}/timeline`)
  expect(json.entries.filter(({ kind }: { kind: string }) => kind === 'waiting')).toEqual([])
}

/** Returns the reasons that `agent status --json` prints. */
async function statusReasons(): Promise<readonly string[]> {
  const folder = join(house.folder, 'agent')
  const status = new HouseProcess('status', mainScripts.agent, ['status', '--json'], { DATA_DIR: folder })
  await status.ended()
  const { waiting } = JSON.parse(status.lines.join('')) as { waiting: readonly Waiting[] }
  return waiting.map(({ reason }) => reason)
}

test('a message waits for its scheduled time', async () => {
  const scheduleAt = new Date(Date.now() + 15_000).toISOString()
  const id = await send({ scheduleAt })
  expect(await untilWaits(id, 'scheduled')).toMatchObject({ until: scheduleAt })
  await untilSent(id)
})

test('a message waits for an offline device', async () => {
  await house.agent?.stop()
  const id = await send()
  expect((await untilWaits(id, 'device_offline')).until).toBeUndefined()
  await house.startAgent()
  await untilSent(id)
})

test('a message waits for a SIM without a network', async () => {
  await house.emulator.instruct('set-coverage', { stat: 2 })
  await eventually(
    async () => (await house.api.ask('GET', '/devices')).json[0].simCards[0].state,
    (state) => state === 'searching',
  )
  const id = await send()
  await untilWaits(id, 'no_network')
  expect(await statusReasons()).toEqual(['no_network'])
  await house.emulator.instruct('set-coverage', { stat: 1 })
  await untilSent(id)
  expect(await statusReasons()).toEqual([])
})

test('a message waits for a SIM that is roaming, and received messages arrive', async () => {
  await house.emulator.instruct('set-coverage', { stat: 5 })
  await eventually(
    async () => (await house.api.ask('GET', '/devices')).json[0].simCards[0].state,
    (state) => state === 'roaming',
  )
  const id = await send()
  await untilWaits(id, 'roaming')
  expect(await statusReasons()).toEqual(['roaming'])
  const from = newNumber()
  await house.emulator.instruct('send-text', { from, to: 'modem0', text: 'Hi there' })
  await eventually(
    async () => (await house.api.ask('GET', '/inbox')).json,
    (inbox) => inbox.some(({ sender }: { sender: string }) => sender === from),
  )
  expect((await house.api.message(id)).state).toBe('Processed')
  await house.emulator.instruct('set-coverage', { stat: 1 })
  await untilSent(id)
})

test('a message waits for an unplugged modem', async () => {
  await house.emulator.instruct('unplug', { modem: 'modem0' })
  const id = await send({ simNumber: 1 })
  await untilWaits(id, 'modem_missing')
  await house.emulator.instruct('plug', { modem: 'modem0' })
  await untilSent(id)
})

test.each([
  ['limit', { limit_period: 'PerHour', limit_value: 1 }],
  ['pause', { send_interval_min: 45, send_interval_max: 45 }],
])('a message waits because of a setting: %s', async (reason, messages) => {
  await settings(messages)
  await send()
  const id = await send()
  expect(Date.parse(String((await untilWaits(id, reason)).until))).toBeGreaterThan(Date.now())
  expect(await statusReasons()).toContain(reason)
  await settings(Object.fromEntries(Object.keys(messages).map((key) => [key, null])))
  await untilSent(id)
})

test('a message waits for the work hours', async () => {
  const hour = (new Date().getHours() + 3) % 24
  const of = (minutes: string) => `${String(hour).padStart(2, '0')}:${minutes}`
  await settings({ work_hours_enabled: true, work_hours_start: of('00'), work_hours_end: of('59') })
  const id = await send()
  expect((await untilWaits(id, 'work_hours')).until).toBeDefined()
  await settings({ work_hours_enabled: false })
  await untilSent(id)
})

test('a message waits for an earlier message to the same number whose outcome is unknown', async () => {
  const options = { times: 1, forMs: 1_000 }
  await house.emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-port-drop', options })
  const to = { phoneNumbers: [newNumber()], withDeliveryReport: false }
  const lost = await send(to)
  await eventually(
    () => waitingOf(lost),
    (found) => found?.reason === 'outcome_unknown',
  )
  const later = await send(to)
  const { until, message } = await untilWaits(later, 'earlier_outcome_unknown')
  expect(Date.parse(String(until))).toBeGreaterThan(Date.now())
  expect(message).toContain(until)
  expect([...(await statusReasons())].sort()).toEqual(['earlier_outcome_unknown', 'outcome_unknown'])
  await untilSent(later)
  const ended = await house.api.until(lost, ({ state }) => state === 'Failed')
  expect(ended).not.toHaveProperty('waiting')
})

test('without the database, the API reports that it is unavailable, and the agent keeps its reason; when the database is available, both show the same reason again', async () => {
  await settings({ limit_period: 'PerHour', limit_value: 1 })
  await send()
  const id = await send()
  await untilWaits(id, 'limit')
  await server.killWhile(async () => {
    await eventually(
      () => house.api.ask('GET', `/messages/${id}`),
      ({ status }) => status === 503,
    )
    expect(await statusReasons()).toEqual(['limit'])
  })
  await eventually(
    async () => (await house.api.ask('GET', `/messages/${id}`)).json.waiting,
    (waiting) => waiting?.reason === 'limit',
  )
  await settings({ limit_period: null, limit_value: null })
  await untilSent(id)
})
