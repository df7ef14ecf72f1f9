import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { getDevice } from './get-devices.ts'
import { listDeviceTelemetry } from './list-device-telemetry.ts'

const now = new Date('2026-03-01T09:00:00.000Z')
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = { database: shared.database, clock: { now: () => now } }
  api = await testEndpoints([
    route('GET', '/devices/{id}', 'devices:list', '', getDevice(deps)),
    route('GET', '/devices/{id}/telemetry', 'devices:list', '', listDeviceTelemetry(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const ONE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const TWO = 'Yk2Zt7vQ9sLrB4mNdP1aW'
const seconds = (count: number) => new Date(now.getTime() + count * 1000)
const ask = async (path: string, account = 'a1') => api.request(account, 'GET', `/devices/${path}`)

async function device(more: Partial<Prisma.DeviceUncheckedCreateInput> = {}): Promise<void> {
  const times = { createdAt: seconds(-100), updatedAt: seconds(-50) }
  await shared.database.device.create({ data: { id: ONE, accountId: 'a1', name: 'Pi', ...times, ...more } })
}

const ready = {
  simNumber: 1,
  port: '/dev/ttyUSB2',
  state: 'ready',
  words: 'ready',
  manufacturer: 'Quectel',
  model: 'Quectel EC25',
  firmware: 'EC25EFAR06A01M4G',
  imeiEnd: '8091',
  operator: 'AIS',
  technology: 'lte',
  registration: 'home',
  signal: 75,
  signalDbm: -73,
  storage: { ME: { used: 2, total: 255 }, SM: { used: 1, total: 30 } },
  recovery: { state: 'healthy', steps: [] },
}
const hung = {
  state: 'absent',
  problem: 'disconnected: the port is gone',
  recovery: { state: 'recovering', steps: [{ step: 'resynchronise' }, { step: 'reopen' }] },
}
const sample = {
  platform: 'linux arm64',
  queue: { open: 3 },
  journal: { sizeBytes: 40_960, fsyncMs: 3.5 },
  modems: [ready, hung],
}

test('shows a device with the last report of its agent', async () => {
  await device({
    agentVersion: '1.2.3',
    leaseUntil: seconds(1),
    connectedAt: seconds(-60),
    telemetry: sample,
    simCards: { create: [{ simNumber: 1, state: 'ready', signal: 75 }] },
  })
  const { json } = await ask(ONE)
  expect(json).toEqual({
    id: ONE,
    name: 'Pi',
    createdAt: seconds(-100).toISOString(),
    updatedAt: seconds(-50).toISOString(),
    lastSeen: seconds(-100).toISOString(),
    online: true,
    simCards: [{ slotIndex: 0, simNumber: 1, state: 'ready', signal: 75 }],
    version: '1.2.3',
    platform: 'linux arm64',
    connectedSince: seconds(-60).toISOString(),
    queue: { pending: 0, processed: 0 },
    journal: { sizeBytes: 40_960, fsyncMs: 3.5 },
    modems: [
      {
        simNumber: 1,
        state: 'ready',
        manufacturer: 'Quectel',
        model: 'EC25',
        firmware: 'EC25EFAR06A01M4G',
        imei: '8091',
        signal: 75,
        signalDbm: -73,
        operator: 'AIS',
        technology: 'lte',
        registration: 'home',
        storageUsed: 3,
        storageTotal: 285,
        recoverySteps: 0,
      },
      { state: 'absent', recoverySteps: 2, lastError: 'disconnected: the port is gone' },
    ],
    lastErrors: [],
  })
})

test('shows a device that never connected, or that has an older agent, with the known fields', async () => {
  await device()
  await device({
    id: TWO,
    connectedAt: seconds(-60),
    telemetry: { queue: { open: 0, fsyncMs: 2 }, modems: [{ model: 'Huawei E3372', bars: 3 }] },
  })
  const { json: never } = await ask(ONE)
  expect(never).toMatchObject({ online: false, queue: { pending: 0, processed: 0 }, modems: [], lastErrors: [] })
  for (const member of ['version', 'platform', 'connectedSince', 'journal']) expect(never).not.toHaveProperty(member)
  const { json: older } = await ask(TWO)
  expect(older).toMatchObject({ journal: { fsyncMs: 2 }, modems: [{ state: 'unknown', model: 'Huawei E3372' }] })
  expect(older).not.toHaveProperty('connectedSince')
})

test('counts pending and unfinished messages as the queue', async () => {
  await device()
  await device({ id: TWO })
  const recipient = (position: number, more: object) => ({
    ...{ cmdId: `c${position}`, accountId: 'a1', deviceId: ONE, position, phoneNumber: '+1', dueAt: now },
    ...more,
  })
  await shared.database.message.create({
    data: {
      ...{ accountId: 'a1', id: 'm', deviceId: ONE, createdAt: now },
      recipients: {
        create: [
          recipient(0, {}),
          recipient(1, { dispatchedJournal: 'j' }),
          recipient(2, { state: 'Processed', processedAt: now }),
          recipient(3, { state: 'Cancelling', processedAt: now }),
          recipient(4, { state: 'Processed', processedAt: now }),
          recipient(5, { state: 'Sent', processedAt: now }),
          recipient(6, { deviceId: TWO }),
        ],
      },
    },
  })
  expect((await ask(ONE)).json).toMatchObject({ queue: { pending: 2, processed: 3 } })
})

test('shows only the last ten errors of this device', async () => {
  await device()
  const entry = {
    accountId: 'a1',
    deviceId: ONE,
    module: 'modem',
    priority: 'ERROR',
    message: 'no SIM',
    createdAt: now,
  }
  const entries = Array.from({ length: 12 }, (_, index) => ({
    ...entry,
    priority: index % 2 === 0 ? 'ERROR' : 'WARN',
    message: `problem ${index}`,
    createdAt: seconds(index),
  }))
  await shared.database.logEntry.createMany({
    data: [
      ...entries,
      { ...entry, deviceId: TWO, createdAt: seconds(60) },
      { ...entry, deviceId: null, createdAt: seconds(60) },
      { ...entry, priority: 'INFO', createdAt: seconds(60) },
    ],
  })
  const { json } = await ask(ONE)
  const { lastErrors } = json as { lastErrors: object[] }
  expect(lastErrors).toHaveLength(10)
  expect(lastErrors[0]).toEqual({
    at: seconds(11).toISOString(),
    priority: 'WARN',
    module: 'modem',
    message: 'problem 11',
  })
  expect(lastErrors.at(-1)).toMatchObject({ message: 'problem 2' })
})

test('lists telemetry oldest first, with one point per modem', async () => {
  await device({ telemetry: sample })
  const older = { queue: { open: 1, fsyncMs: 2 }, modems: [] }
  await shared.database.telemetry.createMany({
    data: [
      { deviceId: ONE, at: seconds(-30), sample },
      { deviceId: ONE, at: seconds(-3600), sample: older },
      { deviceId: ONE, at: seconds(-7200), sample: 'nonsense' },
      { deviceId: ONE, at: seconds(-86_401), sample },
      { deviceId: ONE, at: seconds(0), sample },
    ],
  })
  const agent = { at: seconds(-30).toISOString(), queue: 3, fsyncMs: 3.5 }
  expect((await ask(`${ONE}/telemetry`)).json).toEqual([
    { at: seconds(-7200).toISOString() },
    { at: seconds(-3600).toISOString(), queue: 1, fsyncMs: 2 },
    { ...agent, simNumber: 1, signal: 75, signalDbm: -73, registration: 'home', storageUsed: 3, recoverySteps: 0 },
    { ...agent, recoverySteps: 2 },
  ])
  const bounds = `from=${seconds(-3600).toISOString()}&to=${seconds(-30).toISOString()}`
  expect((await ask(`${ONE}/telemetry?${bounds}`)).json).toHaveLength(1)
})

test('reduces a week of telemetry to 500 evenly spaced points', async () => {
  await device({ telemetry: sample })
  const data = Array.from({ length: 2_100 }, (_, index) => ({ deviceId: ONE, at: seconds(-300 * (index + 1)), sample }))
  await shared.database.telemetry.createMany({ data })
  const { json } = await ask(`${ONE}/telemetry?from=${seconds(-7 * 86_400).toISOString()}`)
  const points = json as { at: string }[]
  expect(points).toHaveLength(500)
  expect(points[0]?.at).toBe(seconds(-7 * 86_400 + 2_400).toISOString())
  expect(points.at(-1)?.at).toBe(seconds(-300).toISOString())
  const times = points.map(({ at }) => at)
  expect(times).toEqual(times.toSorted())
})

test('answers 404 for a deleted device and for another account, and refuses a range that ends before it begins', async () => {
  await device()
  await device({ id: TWO, deletedAt: now })
  for (const path of [ONE, `${ONE}/telemetry`]) expect((await ask(path, 'a2')).status).toBe(404)
  for (const path of [TWO, `${TWO}/telemetry`]) expect((await ask(path)).status).toBe(404)
  const bounds = `from=${seconds(1).toISOString()}&to=${seconds(0).toISOString()}`
  expect((await ask(`${ONE}/telemetry?${bounds}`)).status).toBe(400)
})
