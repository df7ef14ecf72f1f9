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
])('%j sets webhook delivery to %s', (asked, webhookDelivery) => {
  expect(refreshInboxRequest.parse({ ...range, ...asked })).toEqual({
    since: new Date(range.since),
    until: new Date(range.until),
    webhookDelivery,
  })
})

test('accepts a period of zero length and refuses a period that ends before it starts', () => {
  expect(refreshInboxRequest.safeParse({ since: range.since, until: range.since }).success).toBe(true)
  expect(refreshInboxRequest.safeParse({ since: range.until, until: range.since }).success).toBe(false)
  expect(refreshInboxRequest.safeParse({ since: range.since }).success).toBe(false)
})

test('allows a larger limit for inbox pages than for other lists', () => {
  expect(listInboxQuery.parse({ limit: '500', type: 'DATA_SMS' })).toEqual({
    includeAttachments: false,
    limit: 500,
    offset: 0,
    type: 'DATA_SMS',
  })
  expect(listInboxQuery.safeParse({ limit: '501' }).success).toBe(false)
  expect(listInboxQuery.safeParse({ type: 'sms' }).success).toBe(false)
})
