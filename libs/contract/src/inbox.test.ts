import { expect, test } from 'vitest'
import { listInboxQuery, refreshInboxRequest } from './inbox.ts'

const range = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' }

test.each<[object, string]>([
  [{}, 'Disabled'],
  [{ triggerWebhooks: true }, 'Individual'],
  [{ triggerWebhooks: false }, 'Disabled'],
  [{ webhookDelivery: 'Batch', triggerWebhooks: true }, 'Batch'],
  [{ webhookDelivery: 'Disabled', triggerWebhooks: true }, 'Disabled'],
  [{ webhookDelivery: null, triggerWebhooks: true }, 'Individual'],
])('%j tells webhooks: %s', (asked, webhookDelivery) => {
  expect(refreshInboxRequest.parse({ ...range, ...asked })).toEqual({
    since: new Date(range.since),
    until: new Date(range.until),
    webhookDelivery,
  })
})

test('a range may be one moment, and not end before it begins', () => {
  expect(refreshInboxRequest.safeParse({ since: range.since, until: range.since }).success).toBe(true)
  expect(refreshInboxRequest.safeParse({ since: range.until, until: range.since }).success).toBe(false)
  expect(refreshInboxRequest.safeParse({ since: range.since }).success).toBe(false)
})

test('an inbox page may be larger than others', () => {
  expect(listInboxQuery.parse({ limit: '500', type: 'DATA_SMS' })).toEqual({ limit: 500, offset: 0, type: 'DATA_SMS' })
  expect(listInboxQuery.safeParse({ limit: '501' }).success).toBe(false)
  expect(listInboxQuery.safeParse({ type: 'sms' }).success).toBe(false)
})
