import { healthOf } from '@smsgw/contract/relay/health'
import { expect, test } from 'vitest'
import { eventId } from './event-id.ts'
import { localTimeOf } from './local-time.ts'
import type { OutboxEvent, ReceivedText } from './outbox-event.ts'

const at = localTimeOf('2026-03-01T15:46:11+07:00')
const outbound = { deviceId: 'd1', cmdId: 'c1', messageId: 'm1', recipient: '+1', sender: null, simNumber: 1, at }
const text = (messageId: string): ReceivedText => ({
  event: 'sms:received',
  deviceId: 'd1',
  messageId,
  sender: '+1',
  recipient: null,
  simNumber: 1,
  receivedAt: at,
  message: 'hello',
})
const sent: OutboxEvent = { ...outbound, event: 'sms:sent', partsCount: 1 }
const failed: OutboxEvent = { ...outbound, event: 'sms:failed', code: 'submit_unknown', reason: 'submit_unknown' }

test('an id is a UUID of version 8 and never changes', () => {
  expect(eventId('a1', 'w1', sent)).toBe('f4c31a45-6fe1-8ad6-87ab-a9b59cbdd3e4')
})

test('an event with another text is still the same event', () => {
  const later = localTimeOf('2026-03-02T00:00:00Z')
  expect(eventId('a1', 'w1', { ...outbound, event: 'sms:sent', partsCount: 2, at: later })).toBe(
    eventId('a1', 'w1', sent),
  )
  expect(eventId('a1', 'w1', { ...text('m1'), message: 'hello, completed' })).toBe(eventId('a1', 'w1', text('m1')))
})

test('no two events share an id', () => {
  const events: OutboxEvent[] = [
    sent,
    { ...outbound, event: 'sms:sent', cmdId: 'c2', partsCount: 1 },
    { ...outbound, event: 'sms:delivered' },
    { ...outbound, event: 'sms:cancelled' },
    failed,
    { ...outbound, event: 'sms:failed', code: 'report_failed', reason: 'SMS delivery failed' },
    text('m1'),
    text('m2'),
    { event: 'sms:batch:received', deviceId: 'd1', messages: [text('m1')] },
    { event: 'sms:batch:received', deviceId: 'd1', messages: [text('m1'), text('m2')] },
    { event: 'sms:batch:received', deviceId: 'd1', messages: [text('m1","m2')] },
    { event: 'system:ping', deviceId: 'd1', occurrence: 'journal:1', health: healthOf('1.0.0', {}) },
    { event: 'system:ping', deviceId: 'd1', occurrence: 'journal:2', health: healthOf('1.0.0', {}) },
    { event: 'app:started', deviceId: 'd1', occurrence: 'journal:1', simCards: [] },
  ]
  const ids = ['a1', 'a2'].flatMap((account) =>
    ['w1', 'w2'].flatMap((webhook) => events.map((event) => eventId(account, webhook, event))),
  )
  expect(new Set(ids).size).toBe(4 * events.length)
})
