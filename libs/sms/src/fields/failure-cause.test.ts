import { describe, expect, test } from 'vitest'
import { hexFromOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { decodeFailureCause, encodeFailureCause } from './failure-cause.ts'

describe('a failure cause', () => {
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
