import { describe, expect, test } from 'vitest'
import { concatenationElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { type DeliverReport, decodeDeliverReport, encodeDeliverReport } from './deliver-report.ts'

const accepted: DeliverReport = { kind: 'deliver-report', failureCause: undefined }

describe('SMS-DELIVER-REPORT', () => {
  test.each<[string, DeliverReport, string]>([
    ['of success', accepted, '0000'],
    ['of refusal', { ...accepted, failureCause: 0xd3 }, '00D300'],
    ['with TP-PID and TP-DCS', { ...accepted, protocolIdentifier: 0x7f, dataCodingScheme: 0xf6 }, '00037FF6'],
    [
      'of refusal with all parameters and a header',
      {
        ...accepted,
        failureCause: 0xff,
        protocolIdentifier: 0,
        dataCodingScheme: 4,
        userData: {
          alphabet: 'octets',
          header: userDataHeaderOf([concatenationElement({ width: 8, reference: 1, total: 2, sequence: 2 })]),
          units: Uint8Array.of(0xab),
        },
      },
      '40FF07000407050003010202AB',
    ],
  ])('%s is encoded and decoded', (_what, report, hex) => {
    expect(hexFromOctets(encodeDeliverReport(report))).toBe(hex)
    expect(decodeDeliverReport(octetsFromHex(hex))).toEqual(report)
  })

  test.each([
    ['', 'TP-MTI', 0, 'is missing'],
    ['01', 'TP-MTI', 0, '1 is not SMS-DELIVER-REPORT'],
    ['00', 'TP-PI', 1, 'is missing'],
    ['00D3', 'TP-PI', 2, 'is missing'],
    ['00D380', 'TP-PI', 3, 'is missing'],
    ['0001', 'TP-PID', 2, 'is missing'],
    ['0002', 'TP-DCS', 2, 'is missing'],
    ['000403', 'TP-UD', 3, 'needs 3 octets, 0 left'],
  ])('%j is refused with an error in %s at octet %i', (hex, field, offset, reason) => {
    expect(() => decodeDeliverReport(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })

  test.each([
    [{ failureCause: 0x7f }, 'TP-FCS', '127 is not from 128 to 255'],
    [{ protocolIdentifier: 256 }, 'TP-PID', '256 is not a whole number from 0 to 255'],
    [{ dataCodingScheme: -1 }, 'TP-DCS', '-1 is not a whole number from 0 to 255'],
  ])('SMS-DELIVER-REPORT with %j cannot be encoded', (change, field, reason) => {
    expect(() => encodeDeliverReport({ ...accepted, ...change })).toThrow(new PduEncodeError(field, reason))
  })

  test.each([
    ['of success', undefined, 159],
    ['of refusal', 0xd3, 158],
  ])('%s accepts as much user data as the standard allows', (_what, failureCause, room) => {
    const report = { ...accepted, failureCause, protocolIdentifier: 0, dataCodingScheme: 4 }
    const userData = { alphabet: 'octets', header: undefined, units: new Uint8Array(room) } as const
    expect(encodeDeliverReport({ ...report, userData })).toHaveLength(164)
    expect(() =>
      encodeDeliverReport({ ...report, userData: { ...userData, units: new Uint8Array(room + 1) } }),
    ).toThrow(new PduEncodeError('TP-UD', `needs ${room + 1} octets, the maximum is ${room}`))
  })
})
