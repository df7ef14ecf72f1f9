import { expect, test } from 'vitest'
import { listMessagesQuery, sendMessageQuery, sendMessageRequest } from './message.ts'

const text = { textMessage: { text: 'hello' } }
const minimal = { phoneNumbers: ['+14155550123'], ...text }

const problems = (body: object) =>
  (sendMessageRequest.safeParse(body).error?.issues ?? []).map(({ path }) => path.join('.'))

test('the smallest message, with what is preset', () => {
  expect(sendMessageRequest.parse(minimal)).toEqual({
    phoneNumbers: ['+14155550123'],
    content: { kind: 'text', text: 'hello' },
    withDeliveryReport: true,
    isEncrypted: false,
    ttlSeconds: undefined,
  })
})

test('other spellings become the same', () => {
  const plain = sendMessageRequest.parse(minimal)
  expect(sendMessageRequest.parse({ recipient: '+14155550123', message: 'hello' })).toEqual(plain)
  expect(sendMessageRequest.parse({ ...minimal, recipient: null, dataMessage: null, ttl: null })).toEqual(plain)
})

test('every member arrives', () => {
  expect(
    sendMessageRequest.parse({
      phoneNumbers: ['a', 'b'],
      dataMessage: { data: 'AQI=', port: 65_535 },
      id: 'order:1',
      deviceId: 'some device',
      simNumber: 2,
      withDeliveryReport: false,
      priority: -128,
      validUntil: '2026-03-02T00:00:00+01:00',
      scheduleAt: '2026-03-01T00:00:00Z',
      isEncrypted: true,
    }),
  ).toEqual({
    phoneNumbers: ['a', 'b'],
    content: { kind: 'data', data: 'AQI=', port: 65_535 },
    id: 'order:1',
    deviceId: 'some device',
    simNumber: 2,
    withDeliveryReport: false,
    priority: -128,
    ttlSeconds: undefined,
    validUntil: new Date('2026-03-01T23:00:00Z'),
    scheduleAt: new Date('2026-03-01T00:00:00Z'),
    isEncrypted: true,
  })
})

test.each<[string, object, string]>([
  ['nobody to send to', text, 'phoneNumbers'],
  ['two spellings of to whom', { ...minimal, recipient: '+1' }, 'recipient'],
  ['an empty list', { ...text, phoneNumbers: [] }, 'phoneNumbers'],
  ['more than a hundred', { ...text, phoneNumbers: Array(101).fill('+1') }, 'phoneNumbers'],
  ['an empty number', { ...text, phoneNumbers: ['+1', ''] }, 'phoneNumbers.1'],
  ['a number of 129 characters', { ...text, phoneNumbers: ['+1', '1'.repeat(129)] }, 'phoneNumbers.1'],
  ['such a recipient', { ...text, recipient: '1'.repeat(129) }, 'recipient'],
  ['an opaque number of 513', { ...text, phoneNumbers: ['1'.repeat(513)], isEncrypted: true }, 'phoneNumbers.0'],
  ['nothing to send', { phoneNumbers: ['+1'] }, 'textMessage'],
  ['text and data', { ...minimal, dataMessage: { data: 'AQ==', port: 1 } }, 'dataMessage'],
  ['text in two spellings', { ...minimal, message: 'x' }, 'message'],
  ['an empty text', { phoneNumbers: ['+1'], textMessage: { text: '' } }, 'textMessage.text'],
  ['too long a text', { phoneNumbers: ['+1'], message: 'x'.repeat(65_536) }, 'message'],
  ['no data', { phoneNumbers: ['+1'], dataMessage: { data: '', port: 1 } }, 'dataMessage.data'],
  ['data that is no base64', { phoneNumbers: ['+1'], dataMessage: { data: 'A', port: 1 } }, 'dataMessage.data'],
  ['port 0', { phoneNumbers: ['+1'], dataMessage: { data: 'AQ==', port: 0 } }, 'dataMessage.port'],
  ['an MMS', { ...minimal, mmsMessage: {} }, 'mmsMessage'],
  ['an id of 37 characters', { ...minimal, id: 'x'.repeat(37) }, 'id'],
  ['an empty id', { ...minimal, id: '' }, 'id'],
  ['an id with a line end', { ...minimal, id: 'a\nb' }, 'id'],
  ['slot 0', { ...minimal, simNumber: 0 }, 'simNumber'],
  ['slot 65', { ...minimal, simNumber: 65 }, 'simNumber'],
  ['a text for a boolean', { ...minimal, withDeliveryReport: 'true' }, 'withDeliveryReport'],
  ['priority 128', { ...minimal, priority: 128 }, 'priority'],
  ['half a priority', { ...minimal, priority: 0.5 }, 'priority'],
  ['a life of 4 s', { ...minimal, ttl: 4 }, 'ttl'],
  ['two ends', { ...minimal, ttl: 5, validUntil: '2026-03-01T00:00:00Z' }, 'ttl'],
  [
    'a schedule at its end',
    { ...minimal, scheduleAt: '2026-03-01T01:00:00+01:00', validUntil: '2026-03-01T00:00:00Z' },
    'scheduleAt',
  ],
])('refuses %s, and names the member', (_, body, path) => {
  expect(problems(body)).toEqual([path])
})

test('opaque numbers may be longer, and data counts as content of an encrypted message too', () => {
  const opaque = `$aes-256-cbc/pbkdf2-sha1$i=75000$${'a'.repeat(400)}`
  expect(problems({ ...text, phoneNumbers: [opaque], isEncrypted: true })).toEqual([])
})

test('queries', () => {
  expect(sendMessageQuery.parse({})).toEqual({ skipPhoneValidation: false, deviceActiveWithin: 0 })
  expect(sendMessageQuery.parse({ skipPhoneValidation: '1', deviceActiveWithin: '12' })).toEqual({
    skipPhoneValidation: true,
    deviceActiveWithin: 12,
  })
  const listing = listMessagesQuery.parse({ state: 'Sent', includeContent: 'true', sort: 'created_at' })
  expect(listing).toEqual({ state: 'Sent', includeContent: true, sort: 'created_at', limit: 50, offset: 0 })
  for (const bad of [{ state: 'sent' }, { sort: 'id' }, { includeContent: 'perhaps' }])
    expect(listMessagesQuery.safeParse(bad).success, JSON.stringify(bad)).toBe(false)
})
