// Tests changing and pausing a webhook, over HTTP with a complete relay.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { receivedText } from '../testing/received-text.ts'

let relay: TestRelay
let owner: TestAccount
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  owner = await relay.addAccount()
})

const call = (method: string, path: string, body?: object, auth = owner.basic) =>
  relay.api(method, path, { auth, ...(body && { body }) })
const register = (more: object = { event: 'sms:received' }) =>
  call('POST', '/webhooks', { id: 'w1', url: 'https://old.invalid/', ...more })
const change = (body: object, auth?: string) => call('PATCH', '/webhooks/w1', body, auth)
const stored = () => relay.database.webhook.findFirstOrThrow({ where: { accountId: owner.id } })
const deliveries = () =>
  relay.database.webhookDelivery.findMany({ where: { accountId: owner.id }, orderBy: { key: 'asc' } })
const receive = (...ids: readonly string[]) => enqueueEvents(relay.database, owner.id, ids.map(receivedText))
async function bearer(...scopes: readonly string[]): Promise<string> {
  return `Bearer ${(await call('POST', '/auth/token', { scopes })).json.access_token}`
}

test('registers several events, each once, and shows the first of them as `event`', async () => {
  const events = ['sms:received', 'sms:failed', 'sms:received']
  const { status, json } = await register({ events, event: 'system:ping', name: ' Support desk ' })
  expect(status).toBe(201)
  const shown = { event: 'sms:received', events: ['sms:received', 'sms:failed'], name: 'Support desk' }
  expect(json).toMatchObject(shown)
  expect((await call('GET', '/webhooks')).json).toMatchObject([shown])
})

test('delivers each registered event, and no other', async () => {
  await register({ events: ['sms:failed', 'sms:received'] })
  await receive('m1')
  await change({ events: ['sms:failed'] })
  await receive('m2')
  expect((await deliveries()).map(({ payload }) => (payload as { messageId: string }).messageId)).toEqual(['m1'])
})

test.each([{}, { events: [] }, { event: 'sms:lost' }, { events: ['sms:lost'] }])(
  'refuses to register %j and lists the events',
  async (events) => {
    const { status, json } = await register(events)
    expect([status, json.message]).toEqual([400, expect.stringMatching(/event/)])
  },
)

test('changes only the members in the request, and an empty text removes name and device', async () => {
  const device = 'd'.repeat(20) + owner.id.slice(0, 1).replace(/[^A-Za-z0-9]/, 'x')
  await relay.database.device.deleteMany({ where: { id: device } })
  await relay.database.device.create({ data: { id: device, accountId: owner.id, name: '' } })
  await register()
  const { secretSealed, key } = await stored()
  expect((await change({ name: 'Desk', deviceId: device })).json).toMatchObject({ name: 'Desk', deviceId: device })
  expect((await change({ event: 'sms:sent' })).json).toMatchObject({
    name: 'Desk',
    events: ['sms:sent'],
    event: 'sms:sent',
  })
  const { json } = await change({ name: '', deviceId: '', url: null })
  expect(json).toEqual({
    ...{ id: 'w1', url: 'https://old.invalid/', event: 'sms:sent', events: ['sms:sent'] },
    ...{ deviceId: null, device_id: null },
  })
  expect(await stored()).toMatchObject({ key, secretSealed })
})

test.each([
  [{ url: 'http://plain.invalid/' }, 400],
  [{ events: [] }, 400],
  [{ deviceId: 'Zk2Zt7vQ9sLrB4mNdP1aW' }, 400],
  [{ paused: 'yes' }, 400],
])('refuses the change %j', async (body, status) => {
  await register()
  expect((await change(body)).status).toBe(status)
  expect(await stored()).toMatchObject({ url: 'https://old.invalid/', events: ['sms:received'], heldSince: null })
})

test('answers 404 for an unknown webhook', async () => {
  expect((await change({ name: 'x' })).status).toBe(404)
})

test('a changed URL drops pending events that the caller may not read, and enables the webhook', async () => {
  await register()
  await relay.database.webhook.updateMany({ data: { heldSince: new Date() } })
  await receive('m1')
  await relay.database.webhook.updateMany({ data: { disabledAt: new Date(), disabledReason: 'gone', pauses: 3 } })
  const writer = await bearer('webhooks:write')
  expect((await change({ name: 'same URL' }, writer)).headers.get('x-dropped-deliveries')).toBeNull()
  const { json, headers } = await change({ url: 'https://new.invalid/' }, writer)
  expect([headers.get('x-dropped-deliveries'), json.disabledAt]).toEqual(['1', undefined])
  const [delivery] = await deliveries()
  expect(delivery).toMatchObject({ state: 'dropped' })
  const path = `/webhooks/deliveries/${delivery?.id}/redeliver`
  expect((await call('POST', path, undefined, writer)).status).toBe(403)
  expect((await call('POST', path)).status).toBe(202)
})

test('a webhook that is replaced stays paused and keeps its name, unless the request contains another name', async () => {
  await register({ event: 'sms:received', name: 'Desk' })
  const { json } = await change({ paused: true })
  expect(Date.parse(json.pausedAt)).toBeLessThanOrEqual(Date.now())
  expect((await change({ paused: true })).json.pausedAt).toBe(json.pausedAt)
  expect((await register()).json).toMatchObject({ name: 'Desk', pausedAt: json.pausedAt })
  expect((await register({ event: 'sms:received', name: 'Other' })).json.name).toBe('Other')
})

test('a paused webhook refuses a test, and accepts it after it resumed', async () => {
  await register()
  await change({ paused: true })
  const refused = await call('POST', '/webhooks/w1/test')
  expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining('paused')])
  expect((await change({ paused: false })).json).not.toHaveProperty('pausedAt')
  expect((await call('POST', '/webhooks/w1/test')).status).toBe(202)
})

test('a test of a webhook with several events sends the requested event', async () => {
  await register({ events: ['sms:received', 'sms:failed'] })
  expect((await call('POST', '/webhooks/w1/test')).status).toBe(202)
  expect((await call('POST', '/webhooks/w1/test?event=sms:failed')).status).toBe(202)
  expect((await deliveries()).map(({ event }) => event)).toEqual(['sms:received', 'sms:failed'])
  expect((await call('POST', '/webhooks/w1/test?event=sms:sent')).status).toBe(409)
})
