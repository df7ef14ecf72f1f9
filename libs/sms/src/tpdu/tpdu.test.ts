import { describe, expect, test } from 'vitest'
import { addressFromText, textFromAddress } from '../fields/address.ts'
import { isoFromTimeStamp, isValidTimeStamp } from '../fields/time-stamp.ts'
import { textOfUserData } from '../fields/user-data.ts'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { decodeIncoming, decodeOutgoing, encodeForModem } from './tpdu.ts'

const deliverHex = '040BC87238880900F10000993092516195800AE8329BFD4697D9EC37'
const submitHex = '11000B916407281553F80000AA0AE8329BFD4697D9EC37'
const statusReportHex = '062A0C914477000910326230102100004A6230102100704A00'
const submitReportHex = '010062301051641182'
const deliverReportHex = '00D300'

const centreHex = '07917283010010F5'
const centre = addressFromText('+27381000015')

describe('from the network', () => {
  test('decodes service centre, sender, time and text of a received message', () => {
    const { serviceCentre, tpdu } = decodeIncoming(octetsFromHex(centreHex + deliverHex))
    if (tpdu.kind !== 'deliver' || !isValidTimeStamp(tpdu.serviceCentreTimeStamp)) throw new Error('is not a message')
    expect(serviceCentre).toEqual(centre)
    expect(textFromAddress(tpdu.originator)).toBe('27838890001')
    expect(isoFromTimeStamp(tpdu.serviceCentreTimeStamp)).toBe('1999-03-29T15:16:59+02:00')
    expect(textOfUserData(tpdu.userData)).toBe('hellohello')
  })

  test.each([
    ['SMS-DELIVER', 'deliver', deliverHex],
    ['the reserved type', 'deliver', `07${deliverHex.slice(2)}`],
    ['SMS-STATUS-REPORT', 'status-report', statusReportHex],
    ['SMS-SUBMIT-REPORT', 'submit-report', submitReportHex],
  ])('%s is identified by TP-MTI, with and without a service centre', (_name, kind, hex) => {
    expect(decodeIncoming(octetsFromHex(centreHex + hex))).toMatchObject({ serviceCentre: centre, tpdu: { kind } })
    const without = decodeIncoming(octetsFromHex(`00${hex}`))
    expect(without.serviceCentre).toBeUndefined()
    expect(without.tpdu.kind).toBe(kind)
  })

  test.each([
    ['', 'SCA', 0, 'is missing'],
    ['079172', 'SCA', 2, 'needs 6 octets, 1 left'],
    [centreHex, 'TP-MTI', 8, 'is missing'],
    [`${centreHex}040B`, 'TP-OA', 10, 'is missing'],
    [`${centreHex}${deliverHex.slice(0, -6)}`, 'TP-UD', 27, 'needs 9 octets, 6 left'],
    [`${centreHex}${statusReportHex.slice(0, -2)}`, 'TP-ST', 32, 'is missing'],
    ['000100', 'TP-SCTS', 3, 'needs 7 octets, 0 left'],
  ])('%j is refused with an error in %s at octet %i, counted from the service centre', (hex, field, offset, reason) => {
    expect(() => decodeIncoming(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })
})

describe('from the phone', () => {
  test.each([
    ['SMS-SUBMIT', 'submit', submitHex],
    ['SMS-DELIVER-REPORT', 'deliver-report', deliverReportHex],
    ['SMS-COMMAND', 'command', '0201000000'],
  ])('%s is identified by TP-MTI, with and without a service centre', (_name, kind, hex) => {
    expect(decodeOutgoing(octetsFromHex(centreHex + hex))).toMatchObject({ serviceCentre: centre, tpdu: { kind } })
    const without = decodeOutgoing(octetsFromHex(`00${hex}`))
    expect(without.serviceCentre).toBeUndefined()
    expect(without.tpdu.kind).toBe(kind)
  })

  test('keeps the octets of a command', () => {
    expect(decodeOutgoing(octetsFromHex(`${centreHex}0201000000`)).tpdu).toEqual({
      kind: 'command',
      octets: octetsFromHex('0201000000'),
    })
  })

  test.each([
    [`${centreHex}03`, 'TP-MTI', 8, '3 is reserved'],
    [`${centreHex}1100`, 'TP-DA', 10, 'is missing'],
    [`${centreHex}00D3`, 'TP-PI', 10, 'is missing'],
  ])('%j is refused with an error in %s at octet %i, counted from the service centre', (hex, field, offset, reason) => {
    expect(() => decodeOutgoing(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })
})

describe('for a modem', () => {
  test.each([
    ['SMS-DELIVER', decodeIncoming, deliverHex],
    ['SMS-STATUS-REPORT', decodeIncoming, statusReportHex],
    ['SMS-SUBMIT-REPORT', decodeIncoming, submitReportHex],
    ['SMS-SUBMIT', decodeOutgoing, submitHex],
    ['SMS-DELIVER-REPORT', decodeOutgoing, deliverReportHex],
  ] as const)(
    '%s is written with its service centre, and its length excludes the service centre',
    (_name, decode, hex) => {
      const { tpdu } = decode(octetsFromHex(`00${hex}`))
      if (tpdu.kind === 'command') throw new Error('is a command')
      const withCentre = encodeForModem(tpdu, centre)
      expect(hexFromOctets(withCentre.octets)).toBe(centreHex + hex)
      expect(withCentre.tpduLength).toBe(hex.length / 2)
      const without = encodeForModem(tpdu)
      expect(hexFromOctets(without.octets)).toBe(`00${hex}`)
      expect(without.tpduLength).toBe(hex.length / 2)
    },
  )

  test('the longest message is 164 octets', () => {
    const { tpduLength } = encodeForModem({
      kind: 'submit',
      rejectDuplicates: false,
      replyPath: false,
      statusReportRequest: true,
      messageReference: 0,
      destination: addressFromText('+12345678901234567890'),
      protocolIdentifier: 0,
      dataCodingScheme: 0,
      validityPeriod: {
        format: 'absolute',
        at: { year: 2026, month: 3, day: 1, hour: 0, minute: 0, second: 0, zoneQuarters: 0 },
      },
      userData: { alphabet: 'gsm7', header: undefined, units: septetsFromText('a'.repeat(160))! },
    })
    expect(tpduLength).toBe(164)
  })
})

describe('a message decoded from a Buffer', () => {
  const start = '0BC87238880900F1'
  test.each([
    ['text in septets behind a header', `0044${start}00009930925161958009050003CC02019069`],
    ['text in UCS2 behind a header', `0044${start}00089930925161958008050003CC0201041F`],
    ['UCS2 whose last octet is cut', `0004${start}00089930925161958004041F04`],
    ['octets', `0004${start}0004993092516195800300FF80`],
    ['a time stamp that is none', `0004${start}0000FFFFFFFFFFFFFF0161`],
    ['parameters that cannot be read', `00${statusReportHex}FF`],
  ])('a message decoded from a Buffer does not change when the Buffer is overwritten: %s', (_, hex) => {
    expectOwnOctets(decodeIncoming, hex)
  })

  test.each([
    ['an enhanced validity period', '0009000B916407281553F80000013200000000000161'],
    ['a validity period with an invalid time', '0019000B916407281553F80000FFFFFFFFFFFFFF0161'],
    ['a command', '0002010203'],
  ])('an outgoing message decoded from a Buffer does not change either: %s', (_, hex) => {
    expectOwnOctets(decodeOutgoing, hex)
  })
})

/**
 * The code that reads from modems reuses one Buffer. slice() of a Buffer returns a view, which changes with the Buffer.
 */
function expectOwnOctets(decode: typeof decodeIncoming | typeof decodeOutgoing, hex: string): void {
  const buffer = Buffer.from(hex, 'hex')
  const decoded = decode(buffer)
  buffer.fill(0)
  expect(decoded).toStrictEqual(decode(octetsFromHex(hex)))
  // Compares as JSON, in which an array of octets differs from a Buffer.
  expect(JSON.stringify(decoded)).not.toContain('Buffer')
}
