import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinOctets } from '../octets.ts'
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
  it('comes back as it was encoded, absent members absent', () => {
    const seconds = fc.nat({ max: 2 ** 40 })
    const anyNotification = fc
      .record(
        {
          transactionId: fc.stringMatching(/^[!-~][ -~]{0,30}$/),
          version: fc.constantFrom('1', '1.0', '1.3', '7.14'),
          from: fc.constantFrom('+447700900123', '12345', 'joe@example.com', 'Grüße@example.com'),
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

  it('tells a sender that is withheld from one that is not named', () => {
    const withheld = { transactionId: 'T', fromWithheld: true }
    expect(decodeMmsNotification(encodeMmsNotification(withheld))).toEqual(withheld)
    const unnamed = { transactionId: 'T', fromWithheld: false }
    expect(decodeMmsNotification(encodeMmsNotification(unnamed))).toEqual(unnamed)
  })

  it('counts the offsets of errors in the message that holds it', () => {
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

  it('survives every cut and every changed octet with a result or a decode error', () => {
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
  ])('cannot be encoded with a wrong %s', (_, members) => {
    expect(() => encodeMmsNotification({ ...notification, ...members })).toThrow()
  })
})
