import { expect, test } from 'vitest'
import type { SmppSubmission } from '../protocol/requests.ts'
import { contentOf, destinationNumber, messageContent, type NumberChecks, numberChecks } from './submitted-message.ts'

const NO_ADDRESS = { ton: 0, npi: 0, value: '' }
const octets = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const submission = (values: Partial<SmppSubmission>): SmppSubmission => ({
  source: NO_ADDRESS,
  destinations: [NO_ADDRESS],
  esmClass: 0,
  priority: 0,
  scheduleTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  dataCoding: 0,
  userData: Buffer.alloc(0),
  tlvs: new Map(),
  ...values,
})
const messageOf = (values: Partial<SmppSubmission>, alphabet: 'gsm7' | 'latin1' | 'utf8' = 'gsm7') => {
  const content = contentOf(submission(values))
  return messageContent(content.octets, content, alphabet)
}

test.each([
  ['GSM 7-bit in octets', 0, '4869 1b65 00', 'Hi€@'],
  ['ASCII', 1, '61405b5f5d7b7d24 090d0a', 'a@[_]{}$\t\r\n'],
  ['Latin-1 marked as ASCII', 1, 'e9 1b', 'é\u001b'],
  ['GSM 7-bit marked as ASCII, as the npm package smpp does', 1, '61006200', 'a@b@'],
  ['an extension character of GSM 7-bit marked as ASCII', 1, '7e 1b65', 'ü€'],
  ['the last character of GSM 7-bit marked as ASCII', 1, '7f', 'à'],
  ['Latin-1', 3, 'e9', 'é'],
  ['Cyrillic', 6, 'b6', 'Ж'],
  ['Hebrew', 7, 'e0', 'א'],
  ['UCS-2 with a surrogate pair', 8, 'd83dde00', '😀'],
  ['a message class', 0xf0, '00', '@'],
])('reads %s', (_, dataCoding, hex, text) => {
  expect(messageOf({ dataCoding, userData: octets(hex) })).toEqual({ textMessage: { text } })
})

test('reads data_coding 0 in the configured alphabet', () => {
  expect(messageOf({ userData: octets('e9') }, 'latin1')).toEqual({ textMessage: { text: 'é' } })
  expect(messageOf({ userData: octets('c3a9') }, 'utf8')).toEqual({ textMessage: { text: 'é' } })
})

test('reads a national language from the user data header', () => {
  // Single shift table of Turkish: 0x1b 0x67 is ğ. Locking shift table of Turkish: 0x07 is ı, and 0x60 is ç.
  expect(messageOf({ esmClass: 0x40, userData: octets('03 240101 1b67') })).toEqual({ textMessage: { text: 'ğ' } })
  expect(messageOf({ esmClass: 0x40, userData: octets('03 250101 60'), dataCoding: 1 })).toEqual({
    textMessage: { text: 'ç' },
  })
})

test('reads binary content with the port of the header or of an optional parameter', () => {
  const dataMessage = { data: 'AQI=', port: 2948 }
  expect(messageOf({ dataCoding: 4, esmClass: 0x40, userData: octets('06 0504 0b84 23f0 0102') })).toEqual({
    dataMessage,
  })
  expect(messageOf({ dataCoding: 2, userData: octets('0102'), tlvs: new Map([[0x020b, octets('0b84')]]) })).toEqual({
    dataMessage,
  })
})

test.each([
  ['binary content without a port', { dataCoding: 4, userData: octets('01') }, 'ESME_RSUBMITFAIL'],
  ['text to a port', { esmClass: 0x40, userData: octets('06 0504 0b84 0000 41') }, 'ESME_RSUBMITFAIL'],
  ['a broken header', { esmClass: 0x40, userData: octets('09 0003') }, 'ESME_RSUBMITFAIL'],
  ['no content', {}, 'ESME_RINVMSGLEN'],
  ['an unknown data_coding', { dataCoding: 5, userData: octets('41') }, 'ESME_RSUBMITFAIL'],
  ['transaction mode', { esmClass: 2, userData: octets('41') }, 'ESME_RINVESMCLASS'],
  ['the type of an acknowledgement', { esmClass: 8, userData: octets('41') }, 'ESME_RINVESMCLASS'],
  [
    'a part beyond the total',
    {
      userData: octets('41'),
      tlvs: new Map([
        [0x020c, octets('0001')],
        [0x020e, octets('02')],
        [0x020f, octets('03')],
      ]),
    },
    'ESME_RSUBMITFAIL',
  ],
])('refuses %s', (_, values, status) => {
  expect(() => messageOf(values)).toThrow(expect.objectContaining({ status }))
})

test('finds the position of a part in both headers and in optional parameters', () => {
  const positionOf = (values: Partial<SmppSubmission>) => contentOf(submission(values)).position
  expect(positionOf({ esmClass: 0x40, userData: octets('05 0003 7f0302 41') })).toMatchObject({
    reference: 0x7f,
    total: 3,
    sequence: 2,
  })
  expect(positionOf({ esmClass: 0x40, userData: octets('06 0804 12340302 41') })).toMatchObject({ reference: 0x1234 })
  const sar = [
    [0x020c, octets('1234')],
    [0x020e, octets('03')],
    [0x020f, octets('02')],
  ] as const
  expect(positionOf({ tlvs: new Map(sar) })).toEqual({ width: 0, reference: 0x1234, total: 3, sequence: 2 })
  expect(positionOf({ esmClass: 0x40, userData: octets('05 0003 7f0101 41') })).toBeUndefined()
})

test.each([
  [1, '447400123456', '+447400123456'],
  [1, '+447400123456', '+447400123456'],
  [1, '00447400123456', '+447400123456'],
  [0, '+447400123456', '+447400123456'],
  [2, '07400123456', '07400123456'],
  [3, '12345', '12345'],
])('an address with TON %i and the digits %s is the number %s', (ton, value, expected) => {
  expect(destinationNumber({ ton, npi: 1, value })).toBe(expected)
})

test.each([
  [5, 'ACME'],
  [1, ''],
  [1, '44 7400'],
])('refuses the destination with TON %i and "%s"', (ton, value) => {
  expect(() => destinationNumber({ ton, npi: 0, value })).toThrow(
    expect.objectContaining({ status: 'ESME_RINVDSTADR' }),
  )
})

const SKIP = { skipPhoneValidation: true }
const SHORT_CODES = { allowShortCodes: true }

test.each<[string, readonly number[], NumberChecks]>([
  ['a network-specific number', [3], SKIP],
  ['a subscriber number', [4], SKIP],
  ['an abbreviated number', [6], SKIP],
  ['an abbreviated and an unknown number', [0, 6], SKIP],
  ['an unknown number', [0], SHORT_CODES],
  ['an unknown and an international number', [0, 1], SHORT_CODES],
  ['an international number', [1], {}],
  ['a national number', [2], {}],
])('decides how the API checks %s', (_, tons, checks) => {
  expect(numberChecks(tons.map((ton) => ({ ton, npi: 1, value: '72727' })))).toEqual(checks)
})
