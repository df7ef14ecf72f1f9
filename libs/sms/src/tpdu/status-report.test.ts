import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import { concatenationElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { decodeStatusReport, encodeStatusReport, type StatusReport } from './status-report.ts'

const noon = { year: 2026, month: 3, day: 1, hour: 12, minute: 0, second: 0, zoneQuarters: -24 }

const plain: StatusReport = {
  kind: 'status-report',
  moreMessagesToSend: false,
  loopPrevention: false,
  statusReportQualifier: false,
  messageReference: 42,
  recipient: addressFromText('+447700900123'),
  serviceCentreTimeStamp: noon,
  dischargeTime: { ...noon, second: 7 },
  status: 0,
}

const start = '062A0C91447700091032'
const times = '6230102100004A6230102100704A'
const mandatory = `${start}${times}00`

describe('SMS-STATUS-REPORT', () => {
  test.each<[string, StatusReport, string]>([
    ['without TP-PI', plain, mandatory],
    [
      'with every bit set, of a temporary error, never discharged',
      {
        ...plain,
        moreMessagesToSend: true,
        loopPrevention: true,
        statusReportQualifier: true,
        dischargeTime: { invalid: true, raw: new Uint8Array(7) },
        status: 0x30,
      },
      '2A2A0C914477000910326230102100004A0000000000000030',
    ],
    ['with TP-PID', { ...plain, protocolIdentifier: 0x40 }, `${mandatory}0140`],
    ['with TP-DCS', { ...plain, dataCodingScheme: 4 }, `${mandatory}0204`],
    [
      'with user data alone, in the default alphabet',
      { ...plain, userData: { alphabet: 'gsm7', header: undefined, units: septetsFromText('OK')! } },
      `${mandatory}0402CF25`,
    ],
    [
      'with all parameters and a header',
      {
        ...plain,
        protocolIdentifier: 0,
        dataCodingScheme: 4,
        userData: {
          alphabet: 'octets',
          header: userDataHeaderOf([concatenationElement({ width: 8, reference: 1, total: 2, sequence: 2 })]),
          units: Uint8Array.of(0xab),
        },
      },
      `46${mandatory.slice(2)}07000407050003010202AB`,
    ],
  ])('%s is encoded and decoded', (_what, report, hex) => {
    expect(hexFromOctets(encodeStatusReport(report))).toBe(hex)
    expect(decodeStatusReport(octetsFromHex(hex))).toEqual(report)
  })

  test.each([
    ['names no parameter', '00', {}],
    ['has extensions', '81800040', { protocolIdentifier: 0x40 }],
    ['announces by reserved bits more than is defined', '7940AABB', { protocolIdentifier: 0x40 }],
  ])('SMS-STATUS-REPORT with a TP-PI that %s is decoded', (_what, hex, parameters) => {
    expect(decodeStatusReport(octetsFromHex(mandatory + hex))).toEqual({ ...plain, ...parameters })
  })

  test.each([
    ['cut before TP-PID', '01'],
    ['cut before TP-UDL', '070000'],
    ['cut in TP-UD', '0700000AE832'],
    ['filled up to the size of a memory', 'FFFFFFFFFFFFFFFFFFFF'],
  ])('SMS-STATUS-REPORT with parameters that are %s is decoded and keeps their octets', (_what, hex) => {
    const report = { ...plain, unreadParameters: octetsFromHex(hex) }
    expect(decodeStatusReport(octetsFromHex(mandatory + hex))).toEqual(report)
    expect(hexFromOctets(encodeStatusReport(report))).toBe(mandatory + hex)
  })

  test.each([
    ['', 'TP-MTI', 0, 'is missing'],
    ['04', 'TP-MTI', 0, '0 is not SMS-STATUS-REPORT'],
    ['06', 'TP-MR', 1, 'is missing'],
    ['062A', 'TP-RA', 2, 'is missing'],
    ['062A0C914477', 'TP-RA', 4, 'needs 6 octets, 2 left'],
    [start, 'TP-SCTS', 10, 'needs 7 octets, 0 left'],
    [`${start}6230102100004A623010`, 'TP-DT', 17, 'needs 7 octets, 3 left'],
    [`${start}${times}`, 'TP-ST', 24, 'is missing'],
  ])('%j is refused with an error in %s at octet %i', (hex, field, offset, reason) => {
    expect(() => decodeStatusReport(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })

  test.each<[Partial<StatusReport>, string, string]>([
    [{ status: 256 }, 'TP-ST', '256 is not a whole number from 0 to 255'],
    [{ messageReference: -1 }, 'TP-MR', '-1 is not a whole number from 0 to 255'],
    [
      // 164 octets, minus 25 octets of the mandatory part, and one octet each for TP-PI, TP-DCS and TP-UDL.
      { dataCodingScheme: 4, userData: { alphabet: 'octets', header: undefined, units: new Uint8Array(137) } },
      'TP-UD',
      'needs 137 octets, the maximum is 136',
    ],
  ])('SMS-STATUS-REPORT with %j cannot be encoded', (change, field, reason) => {
    expect(() => encodeStatusReport({ ...plain, ...change })).toThrow(new PduEncodeError(field, reason))
  })
})
