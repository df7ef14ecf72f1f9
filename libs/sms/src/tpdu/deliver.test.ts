import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import { concatenationElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { type Deliver, decodeDeliver, encodeDeliver } from './deliver.ts'

const plain: Deliver = {
  kind: 'deliver',
  moreMessagesToSend: false,
  loopPrevention: false,
  replyPath: false,
  statusReportIndication: false,
  originator: { typeOfNumber: 'subscriber', numberingPlan: 8, value: '27838890001' },
  protocolIdentifier: 0,
  dataCodingScheme: 0,
  serviceCentreTimeStamp: { year: 1999, month: 3, day: 29, hour: 15, minute: 16, second: 59, zoneQuarters: 8 },
  userData: { alphabet: 'gsm7', header: undefined, units: septetsFromText('hellohello')! },
}

describe('SMS-DELIVER', () => {
  test.each<[string, Deliver, string]>([
    ['of plain text', plain, '040BC87238880900F10000993092516195800AE8329BFD4697D9EC37'],
    [
      'from a name, without a time, with every bit set',
      {
        ...plain,
        moreMessagesToSend: true,
        loopPrevention: true,
        replyPath: true,
        statusReportIndication: true,
        originator: addressFromText('Zürich'),
        serviceCentreTimeStamp: { invalid: true, raw: new Uint8Array(7) },
      },
      'A80BD05ABF3C3D46030000000000000000000AE8329BFD4697D9EC37',
    ],
    [
      'that is a part',
      {
        ...plain,
        userData: {
          alphabet: 'gsm7',
          header: userDataHeaderOf([concatenationElement({ width: 8, reference: 0xcc, total: 2, sequence: 1 })]),
          units: septetsFromText('Hi')!,
        },
      },
      '440BC87238880900F100009930925161958009050003CC02019069',
    ],
    [
      'from nobody, empty',
      {
        ...plain,
        originator: { typeOfNumber: 'unknown', numberingPlan: 0, value: '' },
        userData: { alphabet: 'gsm7', header: undefined, units: new Uint8Array(0) },
      },
      '04008000009930925161958000',
    ],
  ])('%s is encoded and decoded', (_what, deliver, hex) => {
    expect(hexFromOctets(encodeDeliver(deliver))).toBe(hex)
    expect(decodeDeliver(octetsFromHex(hex))).toEqual(deliver)
  })

  test('SMS-DELIVER is also decoded if it has the reserved type', () => {
    expect(decodeDeliver(octetsFromHex('070BC87238880900F10000993092516195800AE8329BFD4697D9EC37'))).toEqual(plain)
  })

  test('SMS-DELIVER: octets after its user data are ignored', () => {
    expect(decodeDeliver(octetsFromHex('040BC87238880900F10000993092516195800AE8329BFD4697D9EC37FFFFFF'))).toEqual(
      plain,
    )
  })

  test.each([
    ['', 'TP-MTI', 0, 'is missing'],
    ['05', 'TP-MTI', 0, '1 is not SMS-DELIVER'],
    ['04', 'TP-OA', 1, 'is missing'],
    ['040B', 'TP-OA', 2, 'is missing'],
    ['040BC872', 'TP-OA', 3, 'needs 6 octets, 1 left'],
    ['04029121', 'TP-PID', 4, 'is missing'],
    ['0402912100', 'TP-DCS', 5, 'is missing'],
    ['040291210000', 'TP-SCTS', 6, 'needs 7 octets, 0 left'],
    ['04029121000099309251619580', 'TP-UDL', 13, 'is missing'],
    ['0402912100009930925161958003E8', 'TP-UD', 14, 'needs 3 octets, 1 left'],
    ['0402912100049930925161958003E832', 'TP-UD', 14, 'needs 3 octets, 2 left'],
  ])('%j is refused with an error in %s at octet %i', (hex, field, offset, reason) => {
    expect(() => decodeDeliver(octetsFromHex(hex))).toThrow(new PduDecodeError(field, offset, reason))
  })

  test('SMS-DELIVER of text without its last octet keeps the complete characters and is marked', () => {
    const { userData } = decodeDeliver(octetsFromHex('040BC87238880900F10000993092516195800AE8329BFD4697D9EC'))
    expect(userData.truncated).toBe(true)
    expect(userData.units).toEqual(septetsFromText('hellohell'))
  })

  test.each<[Partial<Deliver>, string, string]>([
    [{ originator: { ...plain.originator, value: '+1' } }, 'TP-OA', 'character 1 is not one of 0123456789*#abc'],
    [{ protocolIdentifier: 256 }, 'TP-PID', '256 is not a whole number from 0 to 255'],
    [{ dataCodingScheme: 300 }, 'TP-DCS', '300 is not a whole number from 0 to 255'],
    [{ serviceCentreTimeStamp: { invalid: true, raw: new Uint8Array(8) } }, 'TP-SCTS', 'has 8 octets instead of 7'],
  ])('SMS-DELIVER with %j cannot be encoded', (change, field, reason) => {
    expect(() => encodeDeliver({ ...plain, ...change })).toThrow(new PduEncodeError(field, reason))
  })
})
