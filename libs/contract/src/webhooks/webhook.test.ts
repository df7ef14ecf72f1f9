import { expect, test } from 'vitest'
import { listDeliveriesQuery, redeliverRequest, registerWebhookRequest } from './webhook.ts'
import { webhookEvents } from './webhook-event.ts'

const minimal = { url: 'https://example.com/sms', event: 'sms:received' }

test('accepts deviceId and device_id, of which deviceId takes precedence', () => {
  expect(registerWebhookRequest.parse(minimal)).toEqual({
    url: minimal.url,
    events: ['sms:received'],
    deviceId: undefined,
  })
  expect(registerWebhookRequest.parse({ ...minimal, device_id: 'a' }).deviceId).toBe('a')
  expect(registerWebhookRequest.parse({ ...minimal, device_id: 'a', deviceId: 'b' }).deviceId).toBe('b')
  expect(registerWebhookRequest.parse({ ...minimal, deviceId: null, device_id: 'a' }).deviceId).toBe('a')
})

test('accepts every event, and lists the valid events when it refuses another event', () => {
  for (const event of webhookEvents) expect(registerWebhookRequest.parse({ ...minimal, event }).events).toEqual([event])
  expect(registerWebhookRequest.safeParse({ ...minimal, event: 'sms:lost' }).error?.issues[0]?.message).toBe(
    `"sms:lost" is not an event. Use one of ${webhookEvents.join(', ')}`,
  )
})

test.each([{ ...minimal, url: '' }, { ...minimal, url: `https://${'x'.repeat(2048)}` }, { url: minimal.url }])(
  'refuses %j',
  (body) => {
    expect(registerWebhookRequest.safeParse(body).success).toBe(false)
  },
)

test('parses the filters of deliveries and the period of a redelivery', () => {
  expect(listDeliveriesQuery.parse({ state: 'failed' })).toEqual({ state: 'failed', limit: 50, offset: 0 })
  const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' }
  expect(redeliverRequest.parse(range)).toEqual({ from: new Date(range.from), to: new Date(range.to) })
  expect(redeliverRequest.safeParse({ from: range.to, to: range.from }).success).toBe(false)
})
