// Shows that changing the URL of a webhook does not give access to its earlier events.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'

let relay: TestRelay
let owner: TestAccount
let auth: string
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  owner = await relay.addAccount()
  auth = await bearer('webhooks:write', 'webhooks:list', 'inbox:refresh')
})

async function bearer(...scopes: readonly string[]): Promise<string> {
  const { json } = await relay.api('POST', '/auth/token', { auth: owner.basic, body: { scopes } })
  return `Bearer ${json.access_token}`
}

const register = (by: string, url = 'https://old.invalid/', event = 'sms:received') =>
  relay.api('POST', '/webhooks', { auth: by, body: { id: 'w1', url, event } })
const webhook = () => relay.database.webhook.findFirstOrThrow({ where: { accountId: owner.id } })
const deliveries = () =>
  relay.database.webhookDelivery.findMany({ where: { accountId: owner.id }, orderBy: { id: 'asc' } })
const range = { from: '2026-03-01T00:00:00Z', to: '2126-03-01T00:00:00Z' }
const redeliverRange = (by: string) => relay.api('POST', '/webhooks/w1/redeliver', { auth: by, body: range })
const redeliverOne = (by: string, id: string) => relay.api('POST', `/webhooks/deliveries/${id}/redeliver`, { auth: by })

/**
 * Registers a webhook as its owner and stores an event. The time of the event is in the future, because clocks must
 * have no influence.
 */
async function enqueue(event = 'sms:received', state = 'delivered'): Promise<string> {
  await register(owner.basic, undefined, event)
  const { key: webhookKey } = await webhook()
  const id = `${owner.id}-1`
  await relay.database.webhookDelivery.create({
    data: {
      ...{
        id,
        webhookKey,
        accountId: owner.id,
        deviceId: 'd'.repeat(21),
        event,
        state,
        payload: { message: 'code 123456' },
      },
      createdAt: new Date(Date.now() + 3_600_000),
      nextAttemptAt: new Date(Date.now() + 3_600_000),
    },
  })
  return id
}

test.each([
  ['sms:received', 'inbox:list'],
  ['sms:data-received', 'inbox:list'],
  ['sms:batch:received', 'inbox:list'],
  ['sms:sent', 'messages:read'],
  ['app:started', 'devices:list'],
])('earlier events of %s are redelivered to a new URL only with %s', async (event, scope) => {
  const id = await enqueue(event)
  await register(auth, 'https://new.invalid/', event)
  for (const refused of [await redeliverOne(auth, id), await redeliverRange(auth)])
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(scope)])
  expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
  const reader = await bearer('webhooks:write', scope)
  expect((await redeliverOne(reader, id)).status).toBe(202)
  expect((await redeliverRange(await bearer('webhooks:write', 'all:any'))).status).toBe(202)
})

test('events for the present URL can be redelivered as before', async () => {
  const id = await enqueue()
  await register(auth)
  expect((await redeliverOne(auth, id)).status).toBe(202)
  expect((await redeliverRange(auth)).status).toBe(202)
})

test('events without message content can be redelivered to any URL', async () => {
  const id = await enqueue('system:ping')
  await register(auth, 'https://new.invalid/', 'system:ping')
  expect((await redeliverOne(auth, id)).status).toBe(202)
})

test('pending events are not sent to a new URL if the caller who chose it may not read them, and can be redelivered', async () => {
  const id = await enqueue('sms:received', 'waiting')
  await register(auth, 'https://new.invalid/')
  expect(await deliveries()).toMatchObject([{ state: 'dropped' }])
  expect((await redeliverOne(owner.basic, id)).status).toBe(202)
})

test('pending events are sent to a new URL if the caller who chose it may read them', async () => {
  await enqueue('sms:received', 'waiting')
  await register(await bearer('webhooks:write', 'inbox:list'), 'https://new.invalid/')
  expect(await deliveries()).toMatchObject([{ state: 'waiting' }])
})

test('a URL change returns the number of pending events that it dropped, and each dropped delivery shows the reason', async () => {
  const id = await enqueue('sms:received', 'waiting')
  const dropped = async (by: string, url: string) => (await register(by, url)).headers.get('x-dropped-deliveries')
  expect(await dropped(auth, 'https://new.invalid/')).toBe('1')
  expect(await dropped(auth, 'https://newer.invalid/')).toBe(null)
  const { json } = await relay.api('GET', `/webhooks/deliveries/${id}`, { auth })
  expect(json.droppedReason).toBe(
    'the URL of the webhook was changed with a token that may not read this event (scope required: inbox:list)',
  )
  expect(json).toMatchObject({ droppedCode: 'url_changed', droppedValues: { scopes: 'inbox:list' } })
  expect((await redeliverOne(owner.basic, id)).status).toBe(202)
  expect((await relay.api('GET', `/webhooks/deliveries/${id}`, { auth })).json).not.toHaveProperty('droppedReason')
})

test('an event that is stored during the URL change is not sent to the new URL', async () => {
  await register(owner.basic)
  let moving: Promise<unknown> | undefined
  await relay.database.$transaction(async (statements) => {
    const event = {
      deviceId: 'd'.repeat(21),
      messageId: 'i1',
      sender: '+1',
      recipient: null,
      simNumber: 1,
      message: 'code',
    }
    const receivedAt = { at: new Date(), offsetMinutes: 0 }
    await enqueueEvents(statements, owner.id, [{ event: 'sms:received', ...event, receivedAt }])
    moving = register(auth, 'https://new.invalid/')
    await someoneWaits(relay.database)
  })
  await moving
  expect(await deliveries()).toMatchObject([{ state: 'dropped' }])
})

test.each([
  ['of one event', redeliverOne],
  ['of a range', redeliverRange],
])('a redelivery %s waits for a URL change and sends no earlier event to the new URL', async (_, redeliver) => {
  const id = await enqueue()
  let redelivery: ReturnType<typeof redeliver> | undefined
  await relay.database.$transaction(async (statements) => {
    await statements.webhook.updateMany({ where: { accountId: owner.id }, data: { url: 'https://new.invalid/' } })
    redelivery = redeliver(auth, id)
    await someoneWaits(relay.database)
  })
  expect((await redelivery)?.status).toBe(403)
  expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
})

test('a concurrent redelivery and URL change send no earlier events to the new URL', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await enqueue()
    await Promise.all([redeliverOne(auth, id), redeliverRange(auth), register(auth, 'https://new.invalid/')])
    expect((await deliveries()).map(({ state }) => state)).not.toContain('waiting')
    await relay.database.webhook.deleteMany({ where: { accountId: owner.id } })
  }
})

describe('an inbox refresh by a caller who may not read the inbox', () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  /** Stores a message now. Its time stamp from the network is `createdAt`. */
  const receive = (id: string, createdAt: Date) =>
    relay.database.inboxItem.create({
      data: {
        ...{ accountId: owner.id, id, deviceId: 'd', type: 'SMS', sender: '+1', text: 'code 123456' },
        createdAt,
      },
    })

  async function refreshed(by: string, webhookDelivery = 'Individual'): Promise<unknown[]> {
    const body = { since: minutes(-120), until: minutes(120), webhookDelivery }
    expect((await relay.api('POST', '/inbox/refresh', { auth: by, body })).status).toBe(202)
    return (await deliveries()).map(({ payload }) => (payload as { messageId?: string }).messageId ?? 'batch')
  }

  test('an inbox refresh by a caller who may not read the inbox sends a webhook only messages that were stored after it got its URL', async () => {
    await receive('stored before', minutes(60))
    await register(auth)
    await receive('stored since', minutes(-60))
    expect(await refreshed(auth)).toEqual(['stored since'])
    await register(auth, 'https://new.invalid/')
    await relay.database.webhookDelivery.deleteMany()
    expect(await refreshed(auth)).toEqual([])
    expect((await refreshed(await bearer('inbox:refresh', 'inbox:list'))).sort()).toEqual([
      'stored before',
      'stored since',
    ])
  })

  test('an inbox refresh by a caller who may not read the inbox sends no batch with an earlier message', async () => {
    await receive('stored before', minutes(60))
    await register(auth, undefined, 'sms:batch:received')
    await receive('stored since', minutes(-60))
    expect(await refreshed(auth, 'Batch')).toEqual([])
    await register(owner.basic, 'https://new.invalid/', 'sms:batch:received')
    await relay.database.inboxItem.deleteMany()
    await receive('stored since the change', minutes(-60))
    expect(await refreshed(auth, 'Batch')).toEqual(['batch'])
  })
})

test('the delivery log keeps the URL of each attempt', async () => {
  const id = await enqueue()
  const { key: deliveryKey } = (await deliveries())[0] ?? { key: 0n }
  const attempt = { deliveryKey, startedAt: new Date(), durationMs: 1, status: 200 }
  await relay.database.webhookAttempt.createMany({
    data: [
      { ...attempt, number: 1 },
      { ...attempt, number: 2, url: 'https://old.invalid/' },
    ],
  })
  await register(auth, 'https://new.invalid/')
  const { json } = await relay.api('GET', `/webhooks/deliveries/${id}`, { auth })
  expect(json.attempts.map(({ url }: { url?: string }) => url)).toEqual([undefined, 'https://old.invalid/'])
  expect(json.request.url).toBe('https://new.invalid/')
})
