import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import { systemRandom } from '../random.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import type { Received } from './insert-received-statement.ts'
import { exportInbox, refreshInbox } from './refresh-inbox.ts'
import { storeUploaded } from './store-received.ts'

let now = new Date('2026-03-01T09:00:00Z')
let woken: string[] = []
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = {
    database: shared.database,
    clock: { now: () => now },
    random: systemRandom,
    logbook: { write: () => undefined },
    hints: { wake: (deviceIds: readonly string[]) => woken.push(...deviceIds) },
    outbox: { wake: () => void woken.push('outbox') },
  }
  api = await testEndpoints([
    route('POST', '/inbox/refresh', 'inbox:refresh', '', refreshInbox(deps)),
    route('POST', '/inbox/export', 'messages:export', '', exportInbox(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  woken = []
  now = new Date('2026-03-01T09:00:00Z')
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
  for (const [id, accountId] of [
    ['d1', 'a1'],
    ['d2', 'a1'],
    ['d3', 'a2'],
  ] as const)
    await shared.database.device.create({ data: { id, accountId, name: id } })
})
afterEach(() => shared.database.account.deleteMany())

const range = { since: '2026-03-01T08:00:00Z', until: '2026-03-01T08:59:00Z' }
const refresh = (more: object = {}) => api.request('a1', 'POST', '/inbox/refresh', { ...range, ...more })
const commands = () => shared.database.deviceCommand.findMany({ orderBy: { deviceId: 'asc' } })
const deliveries = () => shared.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })

async function webhook(id: string, event: string, disabledAt?: Date): Promise<void> {
  const data = { accountId: 'a1', id, event, url: '', secretSealed: '', disabledAt: disabledAt ?? null }
  await shared.database.webhook.create({ data })
}

async function receive(id: string, minute: number, more: Partial<Received> = {}, deviceId = 'd1'): Promise<void> {
  const receivedAt = new Date(Date.UTC(2026, 2, 1, 8, minute)).toISOString()
  const facts = { kind: 'received', type: 'SMS', id, receivedAt, sender: '+1', simNumber: 1, text: id, parts: 1 }
  await storeUploaded(shared.database, { id: deviceId, accountId: 'a1' }, { ...facts, ...more } as Received, now)
}
const data = { type: 'DATA_SMS', data: 'AAAA', port: 1 } as const
const mms = { type: 'MMS', transactionId: 'T', size: 0, contentClass: '' } as const

test('creates one sweep for every device of the account and wakes it', async () => {
  const { status, json } = await refresh()
  expect({ status, json }).toEqual({ status: 202, json: {} })
  await refresh()
  const requested = await commands()
  expect(requested.map(({ deviceId }) => deviceId)).toEqual(['d1', 'd2'])
  for (const { cmdId, command, expiresAt } of requested) {
    expect(command).toEqual({ kind: 'sweep', cmdId })
    expect(expiresAt).toEqual(new Date('2026-03-01T10:00:00Z'))
  }
  expect(woken).toEqual(['d1', 'd2', 'd1', 'd2'])
})

test('delivers messages again to a webhook whose first event is another event', async () => {
  await webhook('several', 'sms:sent')
  await shared.database.webhook.updateMany({ data: { events: ['sms:sent', 'sms:received'] } })
  await receive('first', 10)
  await shared.database.webhookDelivery.deleteMany()
  await refresh({ webhookDelivery: 'Individual' })
  expect((await deliveries()).map(({ event }) => event)).toEqual(['sms:received'])
})

test('a dispatched or expired sweep is not used for a later request', async () => {
  await refresh({ deviceId: 'd1' })
  await shared.database.deviceCommand.updateMany({ data: { dispatchedAt: now } })
  await refresh({ deviceId: 'd1' })
  now = new Date('2026-03-01T11:00:00Z')
  await refresh({ deviceId: 'd1' })
  expect((await commands()).map(({ deviceId }) => deviceId)).toEqual(['d1', 'd1', 'd1'])
})

test.each([
  [{ deviceId: 'd3' }, 'deviceId'],
  [{ deviceId: 'unknown' }, 'deviceId'],
  [{ since: null }, 'since'],
  [{ until: '2026-03-01T07:00:00Z' }, 'until'],
  [{ messageTypes: ['SMS', 'FAX'] }, 'messageTypes[1]'],
  [{ webhookDelivery: 'Twice' }, 'webhookDelivery'],
])('refuses %j and creates no sweep', async (more, path) => {
  expect((await refresh(more)).json).toMatchObject({ code: 400, errors: [{ path }] })
  expect(await commands()).toEqual([])
})

test('delivers stored messages again only on request', async () => {
  await receive('i1', 1)
  await webhook('w1', 'sms:received')
  await refresh()
  await refresh({ webhookDelivery: 'Disabled', triggerWebhooks: true })
  expect(await deliveries()).toEqual([])
  expect(woken).not.toContain('outbox')
  await refresh({ triggerWebhooks: true })
  expect(await deliveries()).toHaveLength(1)
  expect(woken.at(-1)).toBe('outbox')
})

test('delivers messages one by one under their original ids', async () => {
  await webhook('w1', 'sms:received')
  for (const [index, id] of ['before', 'first', 'last', 'after'].entries()) await receive(id, [0, 1, 2, 3][index] ?? 0)
  const before = await deliveries()
  await shared.database.webhookDelivery.updateMany({ data: { state: 'delivered', attempts: 1, finishedAt: now } })
  const requested = { since: '2026-03-01T08:01:00Z', until: '2026-03-01T08:02:00Z', webhookDelivery: 'Individual' }
  await refresh(requested)
  const after = await deliveries()
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect(after.map(({ payload }) => payload)).toEqual(before.map(({ payload }) => payload))
  expect(after.map(({ state }) => state)).toEqual(['delivered', 'waiting', 'waiting', 'delivered'])
})

test('delivers earlier messages to a later webhook under their original ids', async () => {
  await webhook('w1', 'sms:received')
  await receive('i1', 1)
  const [{ id } = { id: '' }] = await deliveries()
  await shared.database.webhook.deleteMany()
  await webhook('w1', 'sms:received')
  await refresh({ webhookDelivery: 'Individual' })
  expect(await deliveries()).toMatchObject([{ id, state: 'waiting' }])
})

test('delivers only the requested kinds and device', async () => {
  await receive('text', 1)
  await receive('data', 2, data)
  await receive('mms', 3, mms)
  await receive('elsewhere', 4, {}, 'd2')
  for (const event of ['sms:received', 'sms:data-received', 'mms:received']) await webhook(event, event)
  const deliveredIds = async () =>
    (await deliveries()).map(({ payload }) => (payload as { messageId: string }).messageId).sort()
  await refresh({ webhookDelivery: 'Individual', messageTypes: [] })
  expect(await deliveredIds()).toEqual([])
  await refresh({ webhookDelivery: 'Individual', messageTypes: ['DATA_SMS', 'MMS_DOWNLOADED'] })
  expect(await deliveredIds()).toEqual(['data'])
  await refresh({ webhookDelivery: 'Individual', deviceId: 'd1' })
  expect(await deliveredIds()).toEqual(['data', 'mms', 'text'])
})

test('batches messages by device and kind, in order, and the same batch always has the same id', async () => {
  for (const event of ['sms:batch:received', 'sms:batch:data-received', 'mms:batch:received', 'sms:received'])
    await webhook(event, event)
  await receive('i2', 2)
  await receive('i1', 1)
  await receive('data', 3, data)
  await receive('mms', 3, mms)
  await receive('elsewhere', 4, {}, 'd2')
  await shared.database.webhookDelivery.deleteMany()
  await refresh({ webhookDelivery: 'Batch' })
  const batches = await deliveries()
  const members = batches.map(({ event, deviceId, payload }) => {
    const { messages } = payload as { messages: { messageId: string }[] }
    return `${deviceId} ${event}: ${messages.map(({ messageId }) => messageId)}`
  })
  expect(members.sort()).toEqual([
    'd1 mms:batch:received: mms',
    'd1 sms:batch:data-received: data',
    'd1 sms:batch:received: i1,i2',
    'd2 sms:batch:received: elsewhere',
  ])
  await refresh({ webhookDelivery: 'Batch' })
  expect((await deliveries()).map(({ id }) => id)).toEqual(batches.map(({ id }) => id))
})

test('delivers a range of any size completely, in batches that a receiver accepts', async () => {
  await webhook('w1', 'sms:batch:received')
  const rows = Array.from({ length: 405 }, (_, index) => ({
    accountId: 'a1',
    deviceId: 'd1',
    id: `i${index}`,
    type: 'SMS',
    sender: '+1',
    simNumber: 1,
    createdAt: new Date(Date.UTC(2026, 2, 1, 8, 1, Math.floor(index / 150))),
    text: index === 5 ? 'x'.repeat(60_000) : 'hello',
  }))
  await shared.database.inboxItem.createMany({ data: rows })
  await refresh({ webhookDelivery: 'Batch' })
  const batches = (await deliveries()).map(({ payload }) => (payload as { messages: { messageId: string }[] }).messages)
  expect(
    batches
      .flat()
      .map(({ messageId }) => messageId)
      .sort(),
  ).toEqual(rows.map(({ id }) => id).sort())
  for (const messages of batches) {
    expect(messages.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(messages).length).toBeLessThan(66_000)
  }
})

test('delivers nothing to a disabled webhook', async () => {
  await webhook('w1', 'sms:received', now)
  await receive('i1', 1)
  await refresh({ webhookDelivery: 'Individual' })
  expect(await deliveries()).toMatchObject([{ state: 'dropped' }])
})

test('the older export delivers messages one by one and is marked as deprecated', async () => {
  await receive('i1', 1)
  await webhook('w1', 'sms:received')
  const { status, headers, json } = await api.request('a1', 'POST', '/inbox/export', {
    ...range,
    webhookDelivery: 'Disabled',
  })
  expect({ status, json }).toEqual({ status: 202, json: {} })
  expect(headers.get('deprecation')).toBe('true')
  expect(await deliveries()).toHaveLength(1)
  expect(await commands()).toHaveLength(2)
})
