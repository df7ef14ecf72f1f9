import { expect, test } from 'vitest'
import { listMessagesQuery, sendMessageQuery, sendMessageRequest } from './message.ts'

const text = { textMessage: { text: 'hello' } }
const minimal = { phoneNumbers: ['+14155550123'], ...text }

const problems = (body: object) =>
  (sendMessageRequest.safeParse(body).error?.issues ?? []).map(({ path }) => path.join('.'))

test('accepts the smallest message and adds the defaults', () => {
  expect(sendMessageRequest.parse(minimal)).toEqual({
    phoneNumbers: ['+14155550123'],
    content: { kind: 'text', text: 'hello' },
    withDeliveryReport: true,
    isEncrypted: false,
    ttlSeconds: undefined,
  })
})

test('normalises recipient and message to phoneNumbers and textMessage', () => {
  const plain = sendMessageRequest.parse(minimal)
  expect(sendMessageRequest.parse({ recipient: '+14155550123', message: 'hello' })).toEqual(plain)
  expect(sendMessageRequest.parse({ ...minimal, recipient: null, dataMessage: null, ttl: null })).toEqual(plain)
})

test('keeps every member', () => {
  expect(
    sendMessageRequest.parse({
      phoneNumbers: [opaque(), opaque(2)],
      dataMessage: { data: opaque(), port: 65_535 },
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
    phoneNumbers: [opaque(), opaque(2)],
    content: { kind: 'data', data: opaque(), port: 65_535 },
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
  ['no recipient', text, 'phoneNumbers'],
  ['two spellings of the recipient', { ...minimal, recipient: '+1' }, 'recipient'],
  ['an empty list', { ...text, phoneNumbers: [] }, 'phoneNumbers'],
  ['more than a hundred', { ...text, phoneNumbers: Array(101).fill('+1') }, 'phoneNumbers'],
  ['an empty number', { ...text, phoneNumbers: ['+1', ''] }, 'phoneNumbers.1'],
  ['a number of 129 characters', { ...text, phoneNumbers: ['+1', '1'.repeat(129)] }, 'phoneNumbers.1'],
  ['a recipient of 129 characters', { ...text, recipient: '1'.repeat(129) }, 'recipient'],
  [
    'an opaque number beyond 512',
    { phoneNumbers: [opaque(24)], message: opaque(), isEncrypted: true },
    'phoneNumbers.0',
  ],
  ['no content', { phoneNumbers: ['+1'] }, 'textMessage'],
  ['text and data', { ...minimal, dataMessage: { data: 'AQ==', port: 1 } }, 'dataMessage'],
  ['text in two spellings', { ...minimal, message: 'x' }, 'message'],
  ['an empty text', { phoneNumbers: ['+1'], textMessage: { text: '' } }, 'textMessage.text'],
  ['a text that is too long', { phoneNumbers: ['+1'], message: 'x'.repeat(65_536) }, 'message'],
  ['empty data', { phoneNumbers: ['+1'], dataMessage: { data: '', port: 1 } }, 'dataMessage.data'],
  ['data that is not base64', { phoneNumbers: ['+1'], dataMessage: { data: 'A', port: 1 } }, 'dataMessage.data'],
  ['port 0', { phoneNumbers: ['+1'], dataMessage: { data: 'AQ==', port: 0 } }, 'dataMessage.port'],
  ['a text with an MMS', { ...minimal, mmsMessage: { text: 'x' } }, 'mmsMessage'],
  ['an MMS without content', { phoneNumbers: ['+1'], mmsMessage: { subject: 'x' } }, 'mmsMessage'],
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
    'a schedule that is not before its end',
    { ...minimal, scheduleAt: '2026-03-01T01:00:00+01:00', validUntil: '2026-03-01T00:00:00Z' },
    'scheduleAt',
  ],
])('refuses %s with the path of the member', (_, body, path) => {
  expect(problems(body)).toEqual([path])
})

test.each([
  [{ ...minimal, ttl: 5, validUntil: '2026-03-01T00:00:00Z' }, 'ttl', 'validUntil'],
  [{ ...minimal, mmsMessage: { text: 'x' } }, 'mmsMessage', 'textMessage'],
])('the problem of two members that exclude each other is the end of a sentence: %j', (body, member, other) => {
  const [issue] = sendMessageRequest.safeParse(body).error?.issues ?? []
  expect(issue?.path).toEqual([member])
  expect(issue?.message).toBe(`cannot be combined with ${other}: use only one of them`)
})

test('accepts an encrypted message with encrypted numbers and encrypted text or data', () => {
  const encrypted = { phoneNumbers: [opaque(), opaque(20)], isEncrypted: true }
  expect(problems({ ...encrypted, textMessage: { text: opaque(1_000) } })).toEqual([])
  expect(problems({ ...encrypted, message: opaque() })).toEqual([])
  expect(problems({ recipient: opaque(), isEncrypted: true, dataMessage: { data: opaque(), port: 1 } })).toEqual([])
  const { content } = sendMessageRequest.parse({ ...encrypted, dataMessage: { data: opaque(), port: 1 } })
  expect(content).toEqual({ kind: 'data', data: opaque(), port: 1 })
})

test.each<[string, object, string[]]>([
  ['a number', { phoneNumbers: [opaque(), '+14155550123'] }, ['phoneNumbers.1']],
  ['all numbers', { phoneNumbers: ['+14155550123', '+14155550124'] }, ['phoneNumbers.0', 'phoneNumbers.1']],
  ['the recipient', { phoneNumbers: undefined, recipient: '+14155550123' }, ['recipient']],
  ['the text', { textMessage: { text: 'PIN 4711' } }, ['textMessage.text']],
  ['the text in its old spelling', { textMessage: undefined, message: 'PIN 4711' }, ['message']],
  ['the data', { textMessage: undefined, dataMessage: { data: 'AQID', port: 1 } }, ['dataMessage.data']],
  ['another cipher', { textMessage: { text: opaque().replace('256', '128') } }, ['textMessage.text']],
  ['no iterations', { textMessage: { text: opaque().replace('i=75000', 'i=0') } }, ['textMessage.text']],
  [
    'iterations that take hours',
    { textMessage: { text: opaque().replace('i=75000', 'i=999999999') } },
    ['textMessage.text'],
  ],
  [
    'a short salt',
    { textMessage: { text: opaque().replace('c2FsdHNhbHRzYWx0c2FsdA==', 'c2FsdA==') } },
    ['textMessage.text'],
  ],
  ['half a block', { textMessage: { text: opaque().replace(/.{8}$/, '') } }, ['textMessage.text']],
])('refuses a message with isEncrypted whose content is not correctly encrypted: %s', (_, wrong, paths) => {
  const encrypted = { phoneNumbers: [opaque()], textMessage: { text: opaque() }, isEncrypted: true }
  expect(problems({ ...encrypted, ...wrong })).toEqual(paths)
})

/** Returns an encrypted field with this number of 16-byte blocks. */
function opaque(blocks = 1): string {
  const octets = 'A'.repeat(Math.floor((blocks * 16 * 8) / 6))
  const rest = (blocks * 16) % 3
  const end = rest === 0 ? '' : rest === 1 ? 'A==' : 'A='
  return `$aes-256-cbc/pbkdf2-sha1$i=75000$c2FsdHNhbHRzYWx0c2FsdA==$${octets}${end}`
}

test('parses the queries of messages', () => {
  expect(sendMessageQuery.parse({})).toEqual({
    skipPhoneValidation: false,
    allowShortCodes: false,
    deviceActiveWithin: 0,
  })
  expect(sendMessageQuery.parse({ skipPhoneValidation: '1', deviceActiveWithin: '12' })).toEqual({
    skipPhoneValidation: true,
    allowShortCodes: false,
    deviceActiveWithin: 12,
  })
  const listing = listMessagesQuery.parse({ state: 'Sent', includeContent: 'true', sort: 'created_at' })
  const defaults = { includeAttachmentData: true, limit: 50, offset: 0 }
  expect(listing).toEqual({ state: 'Sent', includeContent: true, sort: 'created_at', ...defaults })
  for (const bad of [{ state: 'sent' }, { sort: 'id' }, { includeContent: 'perhaps' }])
    expect(listMessagesQuery.safeParse(bad).success, JSON.stringify(bad)).toBe(false)
})
