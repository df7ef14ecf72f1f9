import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import type { LogbookEntry } from '../logs/logbook.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { changeDevice } from './change-device.ts'
import { deleteDevice } from './delete-device.ts'
import { listDevices } from './get-devices.ts'

const now = new Date('2026-03-01T09:00:00.000Z')
let cutOff: string[] = []
let logged: string[] = []
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = {
    database: shared.database,
    clock: { now: () => now },
    logbook: { write: (entry: LogbookEntry) => logged.push(entry.message) },
    hints: { disconnect: (deviceId: string) => cutOff.push(deviceId) },
    outbox: { wake: () => void cutOff.push('outbox') },
  }
  api = await testEndpoints([
    route('GET', '/devices', 'devices:list', '', listDevices(deps)),
    route('PATCH', '/devices/{id}', 'devices:write', '', changeDevice(deps)),
    route('DELETE', '/devices/{id}', 'devices:delete', '', deleteDevice(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  cutOff = []
  logged = []
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const ONE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const TWO = 'Yk2Zt7vQ9sLrB4mNdP1aW'
const seconds = (count: number) => new Date(now.getTime() + count * 1000)
const list = async (account = 'a1') => (await api.request(account, 'GET', '/devices')).json
const remove = (id = ONE, account = 'a1') => api.request(account, 'DELETE', `/devices/${id}`)

async function device(more: Partial<Prisma.DeviceUncheckedCreateInput> = {}): Promise<void> {
  const times = { createdAt: seconds(-100), updatedAt: seconds(-50) }
  await shared.database.device.create({ data: { id: ONE, accountId: 'a1', name: 'Pi', ...times, ...more } })
}

test('marks virtual modems, and a device that has only virtual modems', async () => {
  const emulated = { simNumber: 1, state: 'ready', isEmulated: true }
  await device({ simCards: { create: [emulated, { simNumber: 2, state: 'ready' }] } })
  await device({ id: TWO, createdAt: seconds(-99), simCards: { create: [emulated] } })
  await device({ id: 'Zk2Zt7vQ9sLrB4mNdP1aW', createdAt: seconds(-98) })
  const sim = { slotIndex: 0, ...emulated }
  const real = { slotIndex: 1, simNumber: 2, state: 'ready' }
  const devices = (await list()) as Record<string, unknown>[]
  expect(devices.map(({ isEmulated, simCards }) => ({ isEmulated, simCards }))).toEqual([
    { isEmulated: undefined, simCards: [sim, real] },
    { isEmulated: true, simCards: [sim] },
    { isEmulated: undefined, simCards: [] },
  ])
})

test('the list shows the SIMs of a device by number, and a device is online while its lease is valid', async () => {
  const sim = { state: 'ready', phoneNumber: '+66812345678', carrierName: 'AIS', iccid: '8966', signal: 71 }
  await device({
    lastSeen: seconds(-1),
    leaseUntil: seconds(1),
    simCards: {
      create: [
        { simNumber: 2, state: 'locked' },
        { simNumber: 1, ...sim },
      ],
    },
  })
  await device({ id: TWO, createdAt: seconds(-99), leaseUntil: seconds(0) })
  expect(await list()).toEqual([
    {
      id: ONE,
      name: 'Pi',
      createdAt: seconds(-100).toISOString(),
      updatedAt: seconds(-50).toISOString(),
      lastSeen: seconds(-1).toISOString(),
      online: true,
      simCards: [
        { slotIndex: 0, simNumber: 1, ...sim },
        { slotIndex: 1, simNumber: 2, state: 'locked' },
      ],
    },
    {
      id: TWO,
      name: 'Pi',
      createdAt: seconds(-99).toISOString(),
      updatedAt: seconds(-50).toISOString(),
      lastSeen: seconds(-99).toISOString(),
      online: false,
      simCards: [],
    },
  ])
})

test('a deleted device is disconnected and no longer listed, and its agent can be paired again', async () => {
  await device({ publicKey: 'key', relayId: 'r1', leaseUntil: seconds(1), connEpoch: 7 })
  await shared.database.deviceCommand.create({ data: { cmdId: 'c1', deviceId: ONE, accountId: 'a1', command: {} } })
  expect(await remove()).toMatchObject({ status: 204, json: undefined })
  expect(cutOff).toEqual([ONE, 'outbox'])
  expect(logged).toEqual([expect.stringContaining('device deleted')])
  expect(await list()).toEqual([])
  expect(await shared.database.deviceCommand.count()).toBe(0)
  expect(await shared.database.device.findUnique({ where: { id: ONE } })).toMatchObject({
    deletedAt: now,
    publicKey: null,
    relayId: null,
    leaseUntil: null,
    connEpoch: 8n,
  })
  expect((await remove()).status).toBe(404)
})

test('an account can delete its own devices, but not the gateway itself', async () => {
  await device()
  await device({ id: TWO, builtIn: true })
  expect((await remove(ONE, 'a2')).status).toBe(404)
  expect((await remove('unknown')).status).toBe(404)
  expect((await remove(TWO)).status).toBe(409)
  expect(await list('a2')).toEqual([])
  expect(await list()).toHaveLength(2)
  expect(cutOff).toEqual([])
})

async function message(id: string, deviceId: string, recipients: readonly string[]): Promise<void> {
  await shared.database.message.create({
    data: {
      accountId: 'a1',
      id,
      deviceId,
      createdAt: seconds(-10),
      recipients: {
        create: recipients.map((state, position) => ({
          cmdId: `${id}/${position}`,
          accountId: 'a1',
          deviceId,
          position,
          phoneNumber: '+1',
          state: state as Prisma.RecipientCreateInput['state'] & string,
          dispatchedJournal: state === 'Pending' ? null : 'j1',
          dueAt: seconds(-10),
        })),
      },
    },
  })
}

test('queued messages of a deleted device fail with a reason, and webhooks are sent', async () => {
  await device()
  await device({ id: TWO })
  await shared.database.webhook.create({
    data: { accountId: 'a1', id: 'w1', event: 'sms:failed', url: '', secretSealed: '' },
  })
  await message('queued', ONE, ['Pending', 'Sent'])
  await message('given', ONE, ['Processed', 'Cancelling'])
  await message('elsewhere', TWO, ['Pending'])
  await remove()
  const recipients = await shared.database.recipient.findMany({ orderBy: { cmdId: 'asc' } })
  expect(recipients.map(({ cmdId, state, errorCode }) => [cmdId, state, errorCode])).toEqual([
    ['elsewhere/0', 'Pending', null],
    ['given/0', 'Failed', 'device_lost'],
    ['given/1', 'Failed', 'device_lost'],
    ['queued/0', 'Failed', 'device_deleted'],
    ['queued/1', 'Sent', null],
  ])
  expect(recipients[3]?.error).toContain('the device was deleted')
  const messages = await shared.database.message.findMany({ orderBy: { key: 'asc' } })
  expect(messages.map(({ state }) => state)).toEqual(['Sent', 'Failed', 'Pending'])
  expect(await shared.database.webhookDelivery.count()).toBe(3)
})

test('a message that failed with a deleted device shows the requested SIM and its number', async () => {
  await device()
  await shared.database.simCard.create({
    data: { deviceId: ONE, simNumber: 2, state: 'ready', phoneNumber: '+66812345678' },
  })
  await shared.database.webhook.create({
    data: { accountId: 'a1', id: 'w1', event: 'sms:failed', url: '', secretSealed: '' },
  })
  await message('queued', ONE, ['Pending', 'Processed'])
  await shared.database.message.updateMany({ data: { simNumber: 2 } })
  await remove()
  const payloads = (await shared.database.webhookDelivery.findMany()).map(({ payload }) => payload)
  expect(payloads).toMatchObject(Array(2).fill({ sender: '+66812345678', simNumber: 2 }))
})

test('all messages of a long queue fail', async () => {
  await device()
  await message(
    'long',
    ONE,
    Array.from({ length: 401 }, () => 'Pending'),
  )
  await remove()
  expect(await shared.database.recipient.count({ where: { state: 'Failed' } })).toBe(401)
})

test('renames a device and its SIM slots, and keeps names that are not in the request', async () => {
  const sim = { state: 'ready', signal: 71 }
  const cards = [1, 2].map((simNumber) => ({ ...sim, simNumber }))
  await device({ simCards: { create: cards } })
  const change = (body: object) => api.request('a1', 'PATCH', `/devices/${ONE}`, body)
  const both = { name: ' Office ', simCards: [{ simNumber: 1, name: 'Support' }] }
  expect(await change(both)).toMatchObject({ status: 200, json: { id: ONE, name: 'Office' } })
  await Promise.all([
    change({ simCards: [{ simNumber: 2, name: 'Sales' }] }),
    change({ simCards: [{ simNumber: 3, name: 'Spare' }] }),
  ])
  const names = async () =>
    ((await list()) as { name: string; simCards: { name?: string }[] }[]).map(({ name, simCards }) => ({
      name,
      simCards: simCards.map((card) => card.name),
    }))
  expect(await names()).toEqual([{ name: 'Office', simCards: ['Support', 'Sales'] }])
  // An agent without the card in slot 2 reports only slot 1. The card is inserted again later.
  await shared.database.simCard.deleteMany({ where: { simNumber: 2 } })
  await shared.database.simCard.create({ data: { deviceId: ONE, simNumber: 2, state: 'ready' } })
  await change({ simCards: [{ simNumber: 1, name: '' }] })
  expect(await names()).toEqual([{ name: 'Office', simCards: [undefined, 'Sales'] }])
})

test.each([{ name: '' }, { name: 'x'.repeat(129) }, { simCards: [{ simNumber: 0, name: 'x' }] }])(
  'refuses the names %j',
  async (body) => {
    await device()
    expect((await api.request('a1', 'PATCH', `/devices/${ONE}`, body)).status).toBe(400)
  },
)

test('does not rename a deleted device or a device of another account', async () => {
  await device()
  await device({ id: TWO, deletedAt: now })
  const rename = (account: string, id: string) => api.request(account, 'PATCH', `/devices/${id}`, { name: 'Mine' })
  expect([(await rename('a2', ONE)).status, (await rename('a1', TWO)).status]).toEqual([404, 404])
  expect(await list()).toMatchObject([{ name: 'Pi' }])
})
