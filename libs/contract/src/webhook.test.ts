import { expect, test } from 'vitest'
import { listDeliveriesQuery, redeliverRequest, registerWebhookRequest } from './webhook.ts'
import { webhookEvents } from './webhook-event.ts'

const minimal = { url: 'https://example.com/sms', event: 'sms:received' }

test('a registration, with either spelling of the device; the first wins', () => {
  expect(registerWebhookRequest.parse(minimal)).toEqual({ ...minimal, deviceId: undefined })
  expect(registerWebhookRequest.parse({ ...minimal, device_id: 'a' }).deviceId).toBe('a')
  expect(registerWebhookRequest.parse({ ...minimal, device_id: 'a', deviceId: 'b' }).deviceId).toBe('b')
  expect(registerWebhookRequest.parse({ ...minimal, deviceId: null, device_id: 'a' }).deviceId).toBe('a')
})

test('every event can be registered, silent ones too; another one is told which there are', () => {
  for (const event of webhookEvents) expect(registerWebhookRequest.parse({ ...minimal, event }).event).toBe(event)
  expect(registerWebhookRequest.safeParse({ ...minimal, event: 'sms:lost' }).error?.issues[0]?.message).toBe(
    `is no event; known are ${webhookEvents.join(', ')}`,
  )
})

test.each([{ ...minimal, url: '' }, { ...minimal, url: `https://${'x'.repeat(2048)}` }, { url: minimal.url }])(
  'refuses %j',
  (body) => {
    expect(registerWebhookRequest.safeParse(body).success).toBe(false)
  },
)

test('deliveries are asked for by state and time, and again for a range', () => {
  expect(listDeliveriesQuery.parse({ state: 'failed' })).toEqual({ state: 'failed', limit: 50, offset: 0 })
  const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' }
  expect(redeliverRequest.parse(range)).toEqual({ from: new Date(range.from), to: new Date(range.to) })
  expect(redeliverRequest.safeParse({ from: range.to, to: range.from }).success).toBe(false)
})
