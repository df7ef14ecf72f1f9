import { webhookEnvelope } from '@smsgw/contract/webhooks/webhook-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../../http/route.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../../testing/test-endpoints.ts'
import { addressRules } from '../address-rules.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { localTimeOf } from '../outbox/local-time.ts'
import type { ReceivedText } from '../outbox/outbox-event.ts'
import { countDeliveries } from './count-deliveries.ts'
import { deleteWebhook, listWebhooks, registerWebhook, rotateWebhookSecret } from './manage-webhooks.ts'
import { listDeliveries } from './read-deliveries.ts'
import { redeliverOne, redeliverRange } from './redeliver.ts'
import { testWebhook } from './test-webhook.ts'

const now = new Date('2026-03-01T08:46:11.000Z')
const random = systemRandom
const box = secretBox('the secret of a server that only tests know', random)
const shared = useTestDatabase()
let api: TestEndpoints
const wakes: string[] = []
beforeAll(async () => {
  const { database } = shared
  const deps = {
    database,
    random,
    box,
    logbook: { write: () => undefined },
    outbox: { wake: () => void wakes.push('woken') },
    clock: { now: () => now },
    addressRules: addressRules({ allowHttp: false, allowNetworks: [], localServerMode: false }),
  }
  api = await testEndpoints([
    route('GET', '/webhooks', 'webhooks:list', '', listWebhooks(deps)),
    route('POST', '/webhooks', 'webhooks:write', '', registerWebhook(deps)),
    route('DELETE', '/webhooks/{id}', 'webhooks:delete', '', deleteWebhook(deps)),
    route('GET', '/webhooks/{id}/deliveries', 'webhooks:list', '', listDeliveries(deps)),
    route('POST', '/webhooks/{id}/test', 'webhooks:write', '', testWebhook(deps)),
    route('POST', '/webhooks/{id}/secret', 'webhooks:write', '', rotateWebhookSecret(deps)),
    route('POST', '/webhooks/{id}/redeliver', 'webhooks:write', '', redeliverRange(deps)),
    route('POST', '/webhooks/deliveries/{id}/redeliver', 'webhooks:write', '', redeliverOne(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const requested = { id: 'w1', url: 'https://example.com/sms', event: 'sms:received' }
const register = (more: object = {}, account = 'a1') =>
  api.request(account, 'POST', '/webhooks', { ...requested, ...more })
const stored = (id = 'w1') => shared.database.webhook.findFirstOrThrow({ where: { id, accountId: 'a1' } })
const opened = (sealed: string | null) => (sealed === null ? null : box.open(sealed, 'webhook-secret'))
const deliveries = async (query = '', id = 'w1') => {
  const { json, headers } = await api.request('a1', 'GET', `/webhooks/${id}/deliveries${query}`)
  return { items: json as { id: string; state: string; createdAt: string }[], headers }
}
const text = (messageId: string): ReceivedText => ({
  event: 'sms:received',
  deviceId: DEVICE,
  messageId,
  sender: '+1',
  recipient: null,
  simNumber: 1,
  receivedAt: localTimeOf('2026-03-01T15:46:11+07:00'),
  message: 'hello',
})
const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'

async function device(id: string, accountId = 'a1', deletedAt?: Date): Promise<void> {
  await shared.database.device.create({ data: { id, accountId, name: '', deletedAt: deletedAt ?? null } })
}

test('a webhook for calls alone can be read by clients that do not know this event', async () => {
  await register({ event: 'call:received' })
  const { json } = await api.request('a1', 'GET', '/webhooks')
  expect(json).toMatchObject([{ event: 'app:started', events: ['call:received'] }])
})

test('shows the secret of a webhook only when it is created', async () => {
  await device(DEVICE)
  const { status, json } = await register({ deviceId: DEVICE })
  expect(status).toBe(201)
  const { secret, ...rest } = json as { secret: string }
  expect(rest).toEqual({ ...requested, events: [requested.event], deviceId: DEVICE, device_id: DEVICE })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(opened((await stored()).secretSealed)).toBe(secret)
  expect((await api.request('a1', 'GET', '/webhooks')).json).toEqual([rest])
})

test('device_id is the same as deviceId, and an id is generated if none is given', async () => {
  await device(DEVICE)
  const { json } = await register({ id: undefined, device_id: DEVICE })
  expect(json).toMatchObject({ id: expect.stringMatching(/^[\w-]{21}$/), deviceId: DEVICE, device_id: DEVICE })
})

test('a replaced webhook keeps its secret and history, and is enabled', async () => {
  await register()
  const before = await stored()
  await enqueueEvents(shared.database, 'a1', [text('m1')])
  const disabledReason = 'every attempt for five days failed, the last one with: no answer within 15 s'
  const disabled = { disabledAt: now, disabledReason, failingSince: now, pausedUntil: now, pauses: 3 }
  await shared.database.webhook.updateMany({ data: disabled })
  expect((await api.request('a1', 'GET', '/webhooks')).json).toMatchObject([
    {
      disabledAt: now.toISOString(),
      disabledReason,
      disabledCode: 'failing_for_five_days',
      disabledValues: { lastError: 'no answer within 15 s', lastErrorCode: 'no_answer_in_time', seconds: 15 },
    },
  ])
  const { status, json } = await register({ url: 'https://example.org/other', event: 'sms:sent' })
  expect(status).toBe(201)
  expect(json).toEqual({
    id: 'w1',
    url: 'https://example.org/other',
    event: 'sms:sent',
    events: ['sms:sent'],
    deviceId: null,
    device_id: null,
  })
  const enabled = { disabledAt: null, disabledReason: null, failingSince: null, pausedUntil: null, pauses: 0 }
  expect(await stored()).toMatchObject({ key: before.key, secretSealed: before.secretSealed, ...enabled })
  expect((await deliveries()).items).toHaveLength(1)
})

test('two concurrent registrations create one webhook, and one of them returns the secret', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => register()))
  expect(replies.filter(({ json }) => 'secret' in (json as object))).toHaveLength(1)
  expect(await shared.database.webhook.count()).toBe(1)
})

test('an account has at most fifty webhooks, even with concurrent registrations, and may replace each', async () => {
  for (let index = 0; index < 49; index++) await register({ id: `w${index}` })
  for (let round = 0; round < 3; round++) {
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => register({ id: `${round}-${index}` })))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(9)
    for (const { json } of refused)
      expect(json).toMatchObject({ code: 409, message: expect.stringContaining('50 webhooks') })
    expect((await register({ id: 'w0' })).status).toBe(201)
    await shared.database.webhook.deleteMany({ where: { id: { startsWith: `${round}-` } } })
  }
})

test.each([
  [{ url: 'http://example.com' }, 'url', 'WEBHOOK_ALLOW_HTTP'],
  [{ url: 'https://user:word@example.com' }, 'url', 'credentials'],
  [{ url: 'https://10.0.0.1/' }, 'url', 'is not public'],
  [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url', '2048'],
  [{ event: 'sms:lost' }, 'event', 'sms:data-received'],
  [{ deviceId: 'unknown' }, 'deviceId', 'GET /devices'],
])('refuses %j and suggests what to do', async (more, path, words) => {
  const { status, json } = await register(more)
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 400, errors: [{ path, message: expect.stringContaining(words) }] })
})

test("refuses a deleted device and another account's device", async () => {
  await device(DEVICE, 'a2')
  await device('deleted', 'a1', now)
  expect((await register({ deviceId: DEVICE })).status).toBe(400)
  expect((await register({ deviceId: 'deleted' })).status).toBe(400)
})

test('deleting a webhook deletes its deliveries, and can be repeated', async () => {
  await register()
  await enqueueEvents(shared.database, 'a1', [text('m1')])
  for (const _ of [1, 2]) expect((await api.request('a1', 'DELETE', '/webhooks/w1')).status).toBe(204)
  expect(await shared.database.webhookDelivery.count()).toBe(0)
  expect((await api.request('a1', 'GET', '/webhooks')).json).toEqual([])
})

test('shows a rotated secret once, and keeps the previous one valid for a day', async () => {
  const first = ((await register()).json as { secret: string }).secret
  const { status, json } = await api.request('a1', 'POST', '/webhooks/w1/secret')
  expect(status).toBe(200)
  const { secret } = json as { secret: string }
  expect(secret).not.toBe(first)
  const { secretSealed, previousSecretSealed, previousSecretUntil } = await stored()
  expect([secretSealed, previousSecretSealed].map(opened)).toEqual([secret, first])
  expect(previousSecretUntil).toEqual(new Date('2026-03-02T08:46:11.000Z'))
})

test.each([
  'sms:received',
  'sms:data-received',
  'mms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'call:received',
  'system:ping',
  'app:started',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
])('a test of a webhook for %s sends a sample, a new event each time', async (event) => {
  await device(DEVICE)
  await register({ event })
  await register({ id: 'w2', event })
  for (const _ of [1, 2]) expect((await api.request('a1', 'POST', '/webhooks/w1/test')).status).toBe(202)
  const rows = await shared.database.webhookDelivery.findMany({ include: { webhook: true } })
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  for (const row of rows) {
    const { id, deviceId, payload, webhook } = row
    webhookEnvelope.parse({ deviceId, event: row.event, id, webhookId: webhook.id, payload })
    expect(row).toMatchObject({ state: 'waiting', event, deviceId: DEVICE, webhook: { id: 'w1' } })
    if (event.startsWith('sms:') && !event.includes('batch')) expect(payload).toMatchObject({ messageId: 'test' })
  }
})

test('a test is refused for an unknown webhook and for a disabled webhook', async () => {
  expect((await api.request('a1', 'POST', '/webhooks/w1/test')).status).toBe(404)
  await register()
  await shared.database.webhook.updateMany({ data: { disabledAt: now, disabledReason: 'nobody answers for days' } })
  const { json } = await api.request('a1', 'POST', '/webhooks/w1/test')
  expect(json).toMatchObject({ code: 409, message: expect.stringContaining('nobody answers for days') })
})

/** Stores deliveries of one webhook, one for each hour, oldest first. */
async function history(states: readonly string[]): Promise<void> {
  const { key } = await stored()
  for (const [hour, state] of states.entries())
    await shared.database.webhookDelivery.create({
      data: {
        id: `e${hour}`,
        webhookKey: key,
        accountId: 'a1',
        deviceId: DEVICE,
        event: 'sms:received',
        payload: {},
        createdAt: hours(hour),
        nextAttemptAt: hours(1_000_000),
        state,
        attempts: 2,
        finishedAt: state === 'waiting' ? null : hours(hour),
        attemptRows: {
          create: [
            { number: 2, startedAt: hours(hour), durationMs: 7, error: 'refused', address: '10.0.0.1' },
            { number: 1, startedAt: hours(hour), durationMs: 5, status: 500, excerpt: 'oops' },
          ],
        },
      },
    })
}
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)

test('lists deliveries newest first, by state and time range, page by page', async () => {
  await register()
  await history(['delivered', 'waiting', 'failed', 'delivered', 'dropped', 'waiting'])
  const ids = async (query: string) => (await deliveries(query)).items.map(({ id }) => id)
  expect(await ids('')).toEqual(['e5', 'e4', 'e3', 'e2', 'e1', 'e0'])
  expect(await ids('?state=delivered')).toEqual(['e3', 'e0'])
  const range = `from=${hours(1).toISOString()}&to=${hours(4).toISOString()}`
  expect(await ids(`?${range}`)).toEqual(['e3', 'e2', 'e1'])
  expect(await ids('?limit=2&offset=3')).toEqual(['e2', 'e1'])
  const first = await deliveries(`?limit=2&${range}`)
  expect(first.headers.get('x-total-count')).toBe('3')
  const next = /<[^>]*(\?[^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await deliveries(next)
  expect(second.items.map(({ id }) => id)).toEqual(['e1'])
  expect(second.headers.get('x-total-count')).toBeNull()
  expect(second.headers.get('link')).not.toContain('rel="next"')
})

test('a page at a large offset begins with the delivery at this offset, and a large number is marked', async () => {
  await register()
  const { key: webhookKey } = await stored()
  const common = { webhookKey, accountId: 'a1', deviceId: DEVICE, event: 'sms:received', payload: {} }
  await shared.database.webhookDelivery.createMany({
    data: Array.from({ length: 800 }, (_, at) => {
      const state = ['delivered', 'failed', 'delivered', 'dropped', 'waiting'][at % 5] ?? ''
      return { ...common, id: `e${at}`, createdAt: hours(at >> 1), nextAttemptAt: hours(1_000_000), state }
    }),
  })
  const expected = Array.from({ length: 800 }, (_, at) => `e${799 - at}`)
  for (const offset of [499, 500, 501, 777, 795, 800, 801])
    expect((await deliveries(`?limit=10&offset=${offset}`)).items.map(({ id }) => id)).toEqual(
      expected.slice(offset, offset + 10),
    )
  const filter = { webhookKey, states: ['failed', 'waiting'], from: hours(100) }
  expect(await countDeliveries(shared.database, filter, 239)).toEqual({ count: 239, isExact: false })
  expect(await countDeliveries(shared.database, filter, 240)).toEqual({ count: 240, isExact: true })
})

test('a delivery shows its attempts, but not the called address', async () => {
  await register()
  await history(['waiting'])
  expect((await deliveries()).items).toEqual([
    {
      id: 'e0',
      webhookId: 'w1',
      event: 'sms:received',
      deviceId: DEVICE,
      state: 'waiting',
      createdAt: now.toISOString(),
      nextAttemptAt: hours(1_000_000).toISOString(),
      attemptCount: 2,
      attempts: [
        { number: 1, startedAt: now.toISOString(), durationMs: 5, status: 500, excerpt: 'oops' },
        { number: 2, startedAt: now.toISOString(), durationMs: 7, error: 'refused' },
      ],
    },
  ])
})

const dueAgain = { state: 'waiting', attempts: 0, finishedAt: null }
const rows = () => shared.database.webhookDelivery.findMany({ orderBy: { key: 'asc' }, include: { attemptRows: true } })

test('redelivers one event under its id, and keeps recorded attempts', async () => {
  await register()
  await register({ id: 'w2' })
  await history(['delivered', 'failed'])
  const { status, json } = await api.request('a1', 'POST', '/webhooks/deliveries/e1/redeliver')
  expect({ status, json }).toEqual({ status: 202, json: {} })
  const [untouched, again] = await rows()
  expect(untouched).toMatchObject({ state: 'delivered', attempts: 2 })
  expect(again).toMatchObject({ id: 'e1', ...dueAgain })
  expect(again?.attemptRows).toHaveLength(2)
  expect(again!.nextAttemptAt < hours(1_000_000)).toBe(true)
})

test('redelivers the events of a range and of the requested states only', async () => {
  await register()
  await history(['delivered', 'dropped', 'failed', 'waiting', 'delivered', 'failed'])
  const range = { from: hours(1), to: hours(5) }
  const redeliver = (more: object) => api.request('a1', 'POST', '/webhooks/w1/redeliver', { ...range, ...more })
  const again = async () => (await rows()).filter(({ attempts }) => attempts === 0).map(({ id }) => id)
  expect((await redeliver({ state: 'failed' })).status).toBe(202)
  expect(await again()).toEqual(['e2'])
  expect((await redeliver({})).status).toBe(202)
  expect(await again()).toEqual(['e1', 'e2', 'e4'])
})

test('a test or redelivery wakes the workers and ends the pause of a failing receiver', async () => {
  await register()
  await history(['failed'])
  const range = { from: hours(0), to: hours(5) }
  for (const [path, body] of [
    ['/webhooks/w1/test', undefined],
    ['/webhooks/w1/redeliver', range],
    ['/webhooks/deliveries/e0/redeliver', undefined],
  ] as const) {
    await shared.database.webhook.updateMany({ data: { pausedUntil: hours(1_000), pauses: 3 } })
    const before = wakes.length
    expect((await api.request('a1', 'POST', path, body)).status).toBe(202)
    expect(wakes).toHaveLength(before + 1)
    expect(await stored()).toMatchObject({ pausedUntil: null, pauses: 3 })
  }
})

test('answers 404 for a delivery whose webhook is being deleted', async () => {
  await register()
  await history(['failed'])
  const redelivery = await shared.database.$transaction(async (statements) => {
    await statements.webhook.deleteMany({ where: { id: 'w1' } })
    const requested = api.request('a1', 'POST', '/webhooks/deliveries/e0/redeliver')
    await Promise.race([requested, someoneWaits(shared.database)])
    return { requested }
  })
  expect((await redelivery.requested).json).toMatchObject({
    code: 404,
    message: expect.stringContaining('No delivery has this id'),
  })
})

test('a disabled webhook gets nothing until it is enabled', async () => {
  await register()
  await history(['dropped'])
  await shared.database.webhook.updateMany({ data: { disabledAt: now } })
  const range = { from: hours(0), to: hours(5) }
  expect((await api.request('a1', 'POST', '/webhooks/w1/redeliver', range)).status).toBe(409)
  expect((await api.request('a1', 'POST', '/webhooks/deliveries/e0/redeliver')).status).toBe(409)
  expect(await rows()).toMatchObject([{ state: 'dropped' }])
})

test('neither shows nor changes webhooks of another account', async () => {
  await register()
  await history(['delivered'])
  const range = { from: hours(0), to: hours(5) }
  expect((await api.request('a2', 'GET', '/webhooks')).json).toEqual([])
  expect((await api.request('a2', 'GET', '/webhooks/w1/deliveries')).status).toBe(404)
  expect((await api.request('a2', 'POST', '/webhooks/w1/test')).status).toBe(404)
  expect((await api.request('a2', 'POST', '/webhooks/w1/secret')).status).toBe(404)
  expect((await api.request('a2', 'POST', '/webhooks/w1/redeliver', range)).status).toBe(404)
  expect((await api.request('a2', 'POST', '/webhooks/deliveries/e0/redeliver')).status).toBe(404)
  expect((await api.request('a2', 'DELETE', '/webhooks/w1')).status).toBe(204)
  expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 2 }])
  expect((await register({ url: 'https://example.net' }, 'a2')).json).toHaveProperty('secret')
  expect((await stored()).url).toBe(requested.url)
})
