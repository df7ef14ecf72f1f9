import type { DeliveryWithRequest } from '@smsgw/contract/webhooks/webhook'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { testReceivers } from './testing/test-receiver.ts'

let relay: TestRelay
const receivers = testReceivers()
beforeEach(async () => {
  relay = await testRelay({ isLocal: true })
})
afterEach(async () => {
  await receivers.close()
  await relay.close()
})

const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })

async function listen(event: string) {
  const receiver = await receivers.start()
  await relay.database.device.createMany({
    data: [{ id: DEVICE, accountId: relay.account.id, name: 'box' }],
    skipDuplicates: true,
  })
  const { status } = await relay.api('POST', '/webhooks', { body: { id: event, url: receiver.url, event } })
  expect(status).toBe(201)
  return {
    receiver,
    bodies: () => receiver.requests.map(({ body }) => JSON.parse(body)),
  }
}

const send = (body: object) =>
  relay.api('POST', '/messages', {
    body: { phoneNumbers: ['+4915112345678'], message: 'hello', deviceId: DEVICE, ...body },
  })

test('a relay reports cancels, expiries and lost devices', async () => {
  const cancelled = await listen('sms:cancelled')
  const failed = await listen('sms:failed')
  for (const id of ['c1', 'e1', 'd1']) expect((await send({ id, ttl: 3600 })).status).toBe(202)
  await relay.api('DELETE', '/messages/c1')
  await eventually(() => expect(cancelled.bodies()).toMatchObject([{ deviceId: DEVICE, payload: { messageId: 'c1' } }]))
  await relay.database.recipient.updateMany({
    where: { message: { id: 'e1' } },
    data: { validUntil: new Date(Date.now() - 1000) },
  })
  await eventually(() =>
    expect(failed.bodies()).toMatchObject([{ payload: { messageId: 'e1', reason: 'TTL expired' } }]),
  )
  await relay.api('DELETE', `/devices/${DEVICE}`)
  await eventually(() => expect(failed.bodies()).toMatchObject([{}, { payload: { messageId: 'd1' } }]))
})

test('a delivery shows exactly the request that its receiver got', async () => {
  const { receiver, bodies } = await listen('sms:received')
  await relay.api('POST', '/webhooks/sms:received/test')
  await eventually(() => expect(bodies()).toHaveLength(1))
  const [got] = receiver.requests
  const { json } = await relay.api('GET', `/webhooks/deliveries/${bodies()[0].id}`)
  const { url, headers, headersOfAttempt, body } = (json as DeliveryWithRequest).request
  expect([url, body]).toEqual([receiver.url, got?.body])
  expect(got?.headers).toMatchObject(headers)
  const ofConnection = ['host', 'connection', 'content-length']
  expect([...Object.keys(headers), ...headersOfAttempt, ...ofConnection].sort()).toEqual(
    Object.keys(got?.headers ?? {}).sort(),
  )
})

test('a test and a redelivery are sent and shown in the deliveries', async () => {
  const { bodies } = await listen('sms:received')
  expect((await relay.api('POST', '/webhooks/sms:received/test')).status).toBe(202)
  await eventually(() => expect(bodies()).toHaveLength(1))
  const [{ id }] = bodies()
  expect(bodies()).toMatchObject([{ webhookId: 'sms:received', event: 'sms:received', payload: { messageId: 'test' } }])
  const shown = async () => (await relay.api('GET', '/webhooks/sms:received/deliveries')).json
  await eventually(async () => expect(await shown()).toMatchObject([{ id, state: 'delivered', attemptCount: 1 }]))
  expect((await relay.api('POST', `/webhooks/deliveries/${id}/redeliver`)).status).toBe(202)
  await eventually(() => expect(bodies().map((one) => one.id)).toEqual([id, id]))
  await eventually(async () =>
    expect(await shown()).toMatchObject([
      { state: 'delivered', attempts: [{ number: 1 }, { number: 2, status: 200 }] },
    ]),
  )
})
