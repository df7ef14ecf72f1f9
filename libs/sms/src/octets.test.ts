import { describe, expect, test } from 'vitest'
import { checkedOctet, copyOf, hexFromOctets, joinOctets, OctetReader, octetsFromHex } from './octets.ts'
import { PduDecodeError, PduEncodeError } from './pdu-error.ts'

describe('hexadecimal', () => {
  test('hexadecimal is accepted in upper and lower case and written in upper case', () => {
    const octets = octetsFromHex('00ff7Fa9')
    expect([...octets]).toEqual([0x00, 0xff, 0x7f, 0xa9])
    expect(hexFromOctets(octets)).toBe('00FF7FA9')
  })

  test('hexadecimal may be of any length', () => {
    const octets = Uint8Array.from({ length: 200_001 }, (_, index) => index)
    expect(hexFromOctets(octets)).toBe(Buffer.from(octets).toString('hex').toUpperCase())
  })

  test('hexadecimal may be empty', () => {
    expect(octetsFromHex('')).toEqual(new Uint8Array(0))
    expect(hexFromOctets(new Uint8Array(0))).toBe('')
  })

  test.each([
    ['0001zz03', 2, 'is not hexadecimal'],
    ['00 1', 1, 'is not hexadecimal'],
    ['0@', 0, 'is not hexadecimal'],
    ['0G', 0, 'is not hexadecimal'],
    ['0`', 0, 'is not hexadecimal'],
    ['0:', 0, 'is not hexadecimal'],
    ['0\u0131', 0, 'is not hexadecimal'],
    ['000', 1, 'has an odd number of digits'],
  ])('%j is refused, and the error contains the offset of the wrong octet', (hex, offset, reason) => {
    expect(() => octetsFromHex(hex)).toThrow(new PduDecodeError('hex', offset, reason))
  })
})

describe('a reader', () => {
  test('counts positions from the start of the octets, with any start offset', () => {
    const reader = new OctetReader(octetsFromHex('00112233445566'), 2)
    expect([reader.position, reader.remaining]).toEqual([2, 5])
    expect(reader.peek()).toBe(0x22)
    expect(reader.octet('TP-MR')).toBe(0x22)
    expect(hexFromOctets(reader.take('TP-DA', 2))).toBe('3344')
    expect([reader.position, reader.remaining]).toEqual([5, 2])
    expect(hexFromOctets(reader.rest())).toBe('5566')
    expect(reader.peek()).toBeUndefined()
  })

  test('a reader that starts after the end has no octets left', () => {
    expect(new OctetReader(octetsFromHex('00'), 9).remaining).toBe(0)
  })

  test('the error contains the field and the offset if the octets end too early', () => {
    const reader = new OctetReader(octetsFromHex('001122'), 1)
    expect(() => reader.take('TP-UD', 3)).toThrow(new PduDecodeError('TP-UD', 1, 'needs 3 octets, 2 left'))
    reader.rest()
    expect(() => reader.octet('TP-PID')).toThrow(new PduDecodeError('TP-PID', 3, 'is missing'))
  })
})

test('joins octets in order', () => {
  const long = new Uint8Array(40).fill(0xff)
  expect(hexFromOctets(joinOctets([0x01, octetsFromHex(''), octetsFromHex('0203'), long, 0x04]))).toBe(
    `010203${'FF'.repeat(40)}04`,
  )
})

test('copies a Buffer to an independent Uint8Array', () => {
  const input = Buffer.from([1, 2, 3, 4])
  const copies = [copyOf(input), copyOf(input, 2), copyOf(input, 1, 3)]
  input.fill(0)
  expect(copies).toEqual([Uint8Array.of(1, 2, 3, 4), Uint8Array.of(3, 4), Uint8Array.of(2, 3)])
  expect(copies.some((copy) => Buffer.isBuffer(copy))).toBe(false)
})

test.each([-1, 256, 1.5, Number.NaN])('refuses %d as an octet', (value) => {
  expect(() => checkedOctet(value, 'TP-MR')).toThrow(
    new PduEncodeError('TP-MR', `${value} is not a whole number from 0 to 255`),
  )
})

test('an error has field, offset and reason as members and in its message', () => {
  const error = new PduDecodeError('TP-OA', 4, 'needs 5 octets, 2 left')
  expect(error).toMatchObject({ name: 'PduDecodeError', field: 'TP-OA', offset: 4, reason: 'needs 5 octets, 2 left' })
  expect(error.message).toBe('TP-OA at octet 4: needs 5 octets, 2 left')
  const encodeError = new PduEncodeError('TP-DA', 'is empty')
  expect(encodeError).toMatchObject({ name: 'PduEncodeError', field: 'TP-DA', reason: 'is empty' })
  expect(encodeError.message).toBe('TP-DA: is empty')
})
