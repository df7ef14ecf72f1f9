import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import { contentClasses, decodeMmsNotification, type MmsNotification, messageClasses } from './mms-notification.ts'
import { encodeMmsNotification } from './mms-notification-encode.ts'

const notification: MmsNotification = {
  transactionId: 'T1',
  version: '1.2',
  from: '+447700900123',
  fromWithheld: false,
  subject: 'Grüße 😀',
  deliveryReport: true,
  messageClass: 'personal',
  messageSizeOctets: 29_696,
  expiry: { kind: 'relative', seconds: 72_000 },
  contentClass: 'image-basic',
  contentLocation: 'http://mmsc/T1',
}

describe('an MMS notification', () => {
  it('an MMS notification decodes to the encoded members, without absent ones', () => {
    const seconds = fc.nat({ max: 2 ** 40 })
    const anyNotification = fc
      .record(
        {
          transactionId: fc.stringMatching(/^[!-~][ -~]{0,30}$/),
          version: fc.constantFrom('1', '1.0', '1.3', '7.14'),
          from: fc.constantFrom('+447700900123', '12345', 'joe@example.com', 'Grüße@example.com', '1.2.3.4/TYPE=IPv4'),
          subject: fc
            .string({ unit: 'grapheme', maxLength: 60 })
            .filter((text) => text === '' || (text > ' ' && !text.includes('\0'))),
          deliveryReport: fc.boolean(),
          messageClass: fc.constantFrom(...messageClasses, 'own'),
          messageSizeOctets: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
          expiry: fc.oneof(
            fc.record({ kind: fc.constant('absolute' as const), epochSeconds: seconds }),
            fc.record({ kind: fc.constant('relative' as const), seconds }),
          ),
          contentClass: fc.constantFrom(...contentClasses),
          contentLocation: fc.webUrl(),
        },
        { requiredKeys: ['transactionId'] },
      )
      .map((members): MmsNotification => ({ fromWithheld: false, ...members }))
    fc.assert(
      fc.property(anyNotification, (given) => {
        expect(decodeMmsNotification(encodeMmsNotification(given))).toEqual(given)
      }),
    )
  })

  it('an MMS notification is decoded in spite of one invalid value, but not of many', () => {
    const wrong = octetsFromHex('890100')
    const heaped = (count: number) =>
      joinOctets([
        octetsFromHex('8C82985400'),
        ...Array.from({ length: count }, () => wrong),
        octetsFromHex('8901818D92'),
      ])
    expect(decodeMmsNotification(heaped(31))).toEqual({ transactionId: 'T', fromWithheld: true, version: '1.2' })
    expect(decodeMmsNotification(heaped(10_000))).toEqual({ transactionId: 'T', fromWithheld: false, version: '1.2' })
  })

  it('an MMS notification distinguishes a withheld sender from an absent sender', () => {
    const withheld = { transactionId: 'T', fromWithheld: true }
    expect(decodeMmsNotification(encodeMmsNotification(withheld))).toEqual(withheld)
    const unnamed = { transactionId: 'T', fromWithheld: false }
    expect(decodeMmsNotification(encodeMmsNotification(unnamed))).toEqual(unnamed)
  })

  it('an MMS notification adds /TYPE=PLMN only to a sender without a type', () => {
    const written = (from: string) =>
      String.fromCharCode(...encodeMmsNotification({ transactionId: 'T', fromWithheld: false, from }))
    expect(written('+447700900123')).toContain('+447700900123/TYPE=PLMN\0')
    expect(written('1.2.3.4/TYPE=IPv4')).toContain('1.2.3.4/TYPE=IPv4\0')
    expect(written('joe@example.com')).toContain('joe@example.com\0')
  })

  it('an MMS notification keeps a first character that could be read as a quote', () => {
    const quoted = { transactionId: '\x7fT', fromWithheld: false, subject: '\x7f\x7f' }
    expect(decodeMmsNotification(encodeMmsNotification(quoted))).toEqual(quoted)
  })

  it.each([
    ['From without a token', '8900', 'from'],
    ['From with a token that is none', '89028200', 'from'],
    ['From with a text that does not end', '8903803132', 'from'],
    ['Subject with a character set that is none', '96021F41', 'subject'],
    ['Expiry with a token that is none', '8802FF80', 'expiry'],
    ['Expiry with a number longer than its value', '880381047F', 'expiry'],
    ['a size of nine octets', '8E09010203040506070809', 'messageSizeOctets'],
    ['a size of no octets', '8E00', 'messageSizeOctets'],
    ['a location that is not a text', '830141', 'contentLocation'],
    ['a class that is not a text', '8A0141', 'messageClass'],
  ])('an MMS notification with %s lacks only that member', (_, damaged, member) => {
    const octets = joinOctets([octetsFromHex('8C829874008D90'), octetsFromHex(damaged), octetsFromHex('868083687400')])
    const expected = { transactionId: 't', version: '1.0', fromWithheld: false, deliveryReport: true }
    expect(decodeMmsNotification(octets)).toEqual({ ...expected, contentLocation: 'ht' })
    expect(decodeMmsNotification(octets.subarray(0, -4))).not.toHaveProperty(member)
  })

  it.each([
    ['a value longer than the rest', '89058200', 'From'],
    ['a text that does not end', '836874', 'X-Mms-Content-Location'],
    ['a header without its value', '8E', 'X-Mms-Message-Size'],
  ])('an MMS notification with %s is refused, because the start of the next header is unknown', (_, damaged, field) => {
    const octets = joinOctets([octetsFromHex('8C829874008D90'), octetsFromHex(damaged)])
    expect(() => decodeMmsNotification(octets)).toThrow(field)
  })

  it('an MMS notification counts the offsets in errors from the start of the whole message', () => {
    const octets = encodeMmsNotification(notification)
    const errorOffset = (message: Uint8Array, start: number) => {
      try {
        decodeMmsNotification(message, start)
      } catch (error) {
        if (error instanceof PduDecodeError) return error.offset
        throw error
      }
      return undefined
    }
    const cut = octets.subarray(0, -3)
    const alone = errorOffset(cut, 0)
    expect(alone).toBeGreaterThan(0)
    expect(errorOffset(joinOctets([new Uint8Array(9), cut]), 9)).toBe((alone ?? 0) + 9)
  })

  it('an MMS notification returns a result or a decode error for any truncation or changed octet', () => {
    const octets = encodeMmsNotification(notification)
    const other: unknown[] = []
    const decode = (changed: Uint8Array) => {
      try {
        decodeMmsNotification(changed)
      } catch (error) {
        if (!(error instanceof PduDecodeError)) other.push(error)
      }
    }
    for (let at = 0; at < octets.length; at++) {
      decode(octets.subarray(0, at))
      for (let value = 0; value < 256; value++) decode(octets.with(at, value))
    }
    expect(other).toEqual([])
  })

  it.each<[string, Partial<MmsNotification>]>([
    ['version', { version: 'two' }],
    ['content class', { contentClass: 'hologram' }],
    ['size', { messageSizeOctets: -1 }],
    ['text with a zero', { subject: 'a\0b' }],
    ['text that begins like a length', { contentLocation: '\u0001' }],
  ])('an MMS notification cannot be encoded with a wrong %s', (_, members) => {
    expect(() => encodeMmsNotification({ ...notification, ...members })).toThrow()
  })
})
