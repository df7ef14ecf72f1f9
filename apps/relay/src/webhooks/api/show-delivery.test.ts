import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../../http/route.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../../testing/test-endpoints.ts'
import { showDelivery } from './read-deliveries.ts'

const world = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  api = await testEndpoints([route('GET', '/webhooks/deliveries/{id}', 'webhooks:list', '', showDelivery(world))])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => world.database.account.deleteMany())

const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const received = { messageId: 'm1', sender: '+12025550123', message: 'Zürich 👍' }
const outbound = { messageId: 'm1', sender: '', recipient: '+12025550123', simNumber: 0, phoneNumber: '+12025550123' }

async function delivered(event: string, payload: object): Promise<void> {
  await world.database.webhook.create({
    data: {
      id: 'w1',
      accountId: 'a1',
      url: 'https://example.com/sms?of=mine',
      event,
      secretSealed: 'sealed',
      deliveries: { create: { id: 'e1', accountId: 'a1', deviceId: DEVICE, event, payload, state: 'delivered' } },
    },
  })
}

async function shown(authorization = 'a1 webhooks:list all:any') {
  const { status, json } = await api.request(authorization, 'GET', '/webhooks/deliveries/e1')
  return { status, json: json as ReturnType<typeof JSON.parse> }
}

test('shows a delivery with its request, without signature and secret', async () => {
  await delivered('sms:received', received)
  const { json } = await shown()
  expect(json).toMatchObject({ id: 'e1', webhookId: 'w1', state: 'delivered', attempts: [] })
  expect(json.request).toMatchObject({
    method: 'POST',
    url: 'https://example.com/sms?of=mine',
    headers: { 'content-type': 'application/json', 'user-agent': 'smsgw', 'webhook-id': 'e1' },
    headersOfAttempt: ['x-timestamp', 'x-signature', 'webhook-timestamp', 'webhook-signature'],
  })
  const envelope = { deviceId: DEVICE, event: 'sms:received', id: 'e1', payload: received, webhookId: 'w1' }
  expect(JSON.parse(json.request.body)).toEqual(envelope)
  expect(JSON.stringify(json)).not.toContain('sealed')
})

test.each([
  ['sms:received', received, 'inbox:list'],
  ['sms:batch:received', { messages: [received] }, 'inbox:list'],
  ['sms:delivered', outbound, 'messages:list'],
  ['sms:delivered', outbound, 'messages:read'],
])('shows the content of %s only to callers who may read it', async (event, payload, scope) => {
  await delivered(event, payload)
  expect((await shown('a1 webhooks:list')).json.request).not.toHaveProperty('body')
  expect((await shown('a1 webhooks:list settings:read')).json.request).not.toHaveProperty('body')
  expect((await shown(`a1 webhooks:list ${scope}`)).json.request.body).toContain('+12025550123')
})

test('shows events without message content to everyone who may list webhooks', async () => {
  await delivered('system:ping', { health: { status: 'pass' } })
  expect((await shown('a1 webhooks:list')).json.request.body).toContain('pass')
})

test('marks a number that is no longer stored', async () => {
  await delivered('sms:delivered', { ...outbound, recipient: '', phoneNumber: '' })
  expect((await shown()).json.request.isHashed).toBe(true)
})

test('answers 404 for a delivery of another account and for an unknown delivery', async () => {
  await delivered('sms:received', received)
  expect((await shown('a2 all:any')).status).toBe(404)
})
