import { describe, expect, test } from 'vitest'
import { hexFromOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { decodeFailureCause, encodeFailureCause, failureCauseFromOctet } from './failure-cause.ts'

describe('a failure cause', () => {
  test.each([
    [0x00, 'Reserved'],
    [0x80, 'Telematic interworking not supported'],
    [0x83, 'Reserved'],
    [0x8f, 'Unspecified TP-PID error'],
    [0x90, 'Data coding scheme (alphabet) not supported'],
    [0xa1, 'Command unsupported'],
    [0xb0, 'TPDU not supported'],
    [0xc0, 'SC busy'],
    [0xc5, 'SM Rejected-Duplicate SM'],
    [0xd0, '(U)SIM SMS storage full'],
    [0xd3, 'Memory Capacity Exceeded'],
    [0xd5, '(U)SIM data download error'],
    [0xdf, 'Reserved'],
    [0xe0, 'Value specific to an application'],
    [0xfe, 'Value specific to an application'],
    [0xff, 'Unspecified error cause'],
  ])('a failure cause of %i is described as %j', (octet, description) => {
    expect(failureCauseFromOctet(octet)).toEqual({ octet, description })
  })

  test.each([
    ['D300', 0xd3, 1],
    ['8000', 0x80, 1],
    ['7F00', undefined, 0],
    ['', undefined, 0],
  ])('a failure cause is distinguished from TP-PI in %j by its top bit', (hex, cause, position) => {
    const reader = new OctetReader(octetsFromHex(hex))
    expect(decodeFailureCause(reader)).toBe(cause)
    expect(reader.position).toBe(position)
  })

  test('a failure cause is encoded if present, and left out if undefined', () => {
    expect(hexFromOctets(encodeFailureCause(0xd3))).toBe('D3')
    expect(hexFromOctets(encodeFailureCause(undefined))).toBe('')
  })

  test.each([
    [0x7f, '127 is not from 128 to 255'],
    [0x100, '256 is not a whole number from 0 to 255'],
  ])('a failure cause of %i cannot be encoded, because it would be decoded as another field', (cause, reason) => {
    expect(() => encodeFailureCause(cause)).toThrow(new PduEncodeError('TP-FCS', reason))
  })
})
