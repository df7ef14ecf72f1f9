import { describe, expect, test } from 'vitest'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { decodeSubmitReport, encodeSubmitReport, type SubmitReport } from './submit-report.ts'

const accepted: SubmitReport = {
  kind: 'submit-report',
  failureCause: undefined,
  serviceCentreTimeStamp: { year: 2026, month: 3, day: 1, hour: 15, minute: 46, second: 11, zoneQuarters: 28 },
}

describe('SMS-SUBMIT-REPORT', () => {
  test.each<[string, SubmitReport, string]>([
    ['of success', accepted, '010062301051641182'],
    ['of refusal', { ...accepted, failureCause: 0xc5 }, '01C50062301051641182'],
    [
      'without a time, with all parameters',
      {
        ...accepted,
        serviceCentreTimeStamp: { invalid: true, raw: new Uint8Array(7).fill(0xff) },
        protocolIdentifier: 0,
        dataCodingScheme: 0,
        userData: { alphabet: 'gsm7', header: undefined, units: septetsFromText('OK')! },
      },
      '0107FFFFFFFFFFFFFF000002CF25',
    ],
  ])('%s is encoded and decoded', (_what, report, hex) => {
    expect(hexFromOctets(encodeSubmitReport(report))).toBe(hex)
    expect(decodeSubmitReport(octetsFromHex(hex))).toEqual(report)
  })

  test.each([
    ['', 'TP-MTI', 0, 'is missing'],
    ['00', 'TP-MTI', 0, '0 is not SMS-SUBMIT-REPORT'],
    ['01', 'TP-PI', 1, 'is missing'],
    ['01C500', 'TP-SCTS', 3, 'needs 7 octets, 0 left'],
    ['010162301051641182', 'TP-PID', 9, 'is missing'],
  ])('%j is refused with an error in %s at octet %i', (hex, field, offset, reason) => {
    expect(() => decodeSubmitReport(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })

  test.each([
    ['of success', undefined, 152],
    ['of refusal', 0xc0, 151],
  ])('%s accepts as much user data as the standard allows', (_what, failureCause, room) => {
    const report = { ...accepted, failureCause, protocolIdentifier: 0, dataCodingScheme: 4 }
    const userData = { alphabet: 'octets', header: undefined, units: new Uint8Array(room) } as const
    expect(encodeSubmitReport({ ...report, userData })).toHaveLength(164)
    expect(() => encodeSubmitReport({ ...report, userData: { ...userData, units: new Uint8Array(room + 1) } })).toThrow(
      new PduEncodeError('TP-UD', `needs ${room + 1} octets, the maximum is ${room}`),
    )
  })
})
