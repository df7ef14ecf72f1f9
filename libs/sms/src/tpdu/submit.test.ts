import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import { portsElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { decodeSubmit, encodeSubmit, type Submit } from './submit.ts'

const plain: Submit = {
  kind: 'submit',
  rejectDuplicates: false,
  replyPath: false,
  statusReportRequest: false,
  messageReference: 0,
  destination: addressFromText('+46708251358'),
  protocolIdentifier: 0,
  dataCodingScheme: 0,
  validityPeriod: undefined,
  userData: { alphabet: 'gsm7', header: undefined, units: septetsFromText('hellohello')! },
}

describe('SMS-SUBMIT', () => {
  test.each<[string, Submit, string]>([
    ['without a validity period', plain, '01000B916407281553F800000AE8329BFD4697D9EC37'],
    [
      'valid for four days',
      { ...plain, validityPeriod: { format: 'relative', value: 170 } },
      '11000B916407281553F80000AA0AE8329BFD4697D9EC37',
    ],
    [
      'with every bit set, valid until a time, flash in UCS2, to a short code',
      {
        ...plain,
        rejectDuplicates: true,
        replyPath: true,
        statusReportRequest: true,
        messageReference: 42,
        destination: addressFromText('12345'),
        dataCodingScheme: 0x18,
        validityPeriod: {
          format: 'absolute',
          at: { year: 2026, month: 3, day: 1, hour: 15, minute: 46, second: 11, zoneQuarters: 28 },
        },
        userData: { alphabet: 'ucs2', header: undefined, units: octetsFromHex('041F0440') },
      },
      'BD2A05812143F500186230105164118204041F0440',
    ],
    [
      'with ports, tried once',
      {
        ...plain,
        messageReference: 255,
        protocolIdentifier: 0x41,
        dataCodingScheme: 0x04,
        validityPeriod: {
          format: 'enhanced',
          octets: octetsFromHex('40000000000000'),
          singleShot: true,
          extended: false,
          period: { kind: 'none' },
        },
        userData: {
          alphabet: 'octets',
          header: userDataHeaderOf([portsElement({ width: 16, destination: 2948, source: 9200 })]),
          units: Uint8Array.of(0xab),
        },
      },
      '49FF0B916407281553F8410440000000000000080605040B8423F0AB',
    ],
  ])('%s is encoded and decoded', (_what, submit, hex) => {
    expect(hexFromOctets(encodeSubmit(submit))).toBe(hex)
    expect(decodeSubmit(octetsFromHex(hex))).toEqual(submit)
  })

  test.each([
    ['', 'TP-MTI', 0, 'is missing'],
    ['00', 'TP-MTI', 0, '0 is not SMS-SUBMIT'],
    ['06', 'TP-MTI', 0, '2 is not SMS-SUBMIT'],
    ['11', 'TP-MR', 1, 'is missing'],
    ['1100', 'TP-DA', 2, 'is missing'],
    ['11000B', 'TP-DA', 3, 'is missing'],
    ['11000B91640728', 'TP-DA', 4, 'needs 6 octets, 3 left'],
    ['1100029121', 'TP-PID', 5, 'is missing'],
    ['110002912100', 'TP-DCS', 6, 'is missing'],
    ['11000291210000', 'TP-VP', 7, 'is missing'],
    ['190002912100006230', 'TP-VP', 7, 'needs 7 octets, 2 left'],
    ['11000291210000AA', 'TP-UDL', 8, 'is missing'],
    ['11000291210000AA0AE8329B', 'TP-UD', 9, 'needs 9 octets, 3 left'],
  ])('%j is refused with an error in %s at octet %i', (hex, field, offset, reason) => {
    expect(() => decodeSubmit(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
    const behindThree = octetsFromHex(`AABBCC${hex}`)
    expect(() => decodeSubmit(behindThree, 3)).toThrow(new PduDecodeError(field, offset + 3, reason))
  })

  test.each<[Partial<Submit>, string, string]>([
    [{ messageReference: 256 }, 'TP-MR', '256 is not a whole number from 0 to 255'],
    [{ protocolIdentifier: -1 }, 'TP-PID', '-1 is not a whole number from 0 to 255'],
    [{ dataCodingScheme: 8 }, 'TP-DCS', '8 does not stand for gsm7 user data'],
    [
      { destination: { typeOfNumber: 'unknown', numberingPlan: 1, value: '12x' } },
      'TP-DA',
      'character 3 is not one of 0123456789*#abc',
    ],
    [
      { userData: { alphabet: 'gsm7', header: undefined, units: new Uint8Array(161) } },
      'TP-UD',
      'needs 141 octets, the maximum is 140',
    ],
  ])('SMS-SUBMIT with %j cannot be encoded', (change, field, reason) => {
    expect(() => encodeSubmit({ ...plain, ...change })).toThrow(new PduEncodeError(field, reason))
  })
})
