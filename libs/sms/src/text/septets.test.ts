import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packSeptets, unpackSeptets } from './septets.ts'

const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex').toUpperCase()
const septetsOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
const anySeptets = fc.uint8Array({ max: 0x7f, maxLength: 400 })

describe('packing septets', () => {
  it.each([
    ['', ''],
    ['h', '68'],
    ['hellohello', 'E8329BFD4697D9EC37'],
    ['Test', 'D4F29C0E'],
    ['1234567', '31D98C56B3DD00'],
    ['12345678', '31D98C56B3DD70'],
    ['123456789', '31D98C56B3DD7039'],
    ['This is a test', '54747A0E4ACF416110BD3CA703'],
  ])('packs %j as published', (text, packed) => {
    expect(hex(packSeptets(septetsOf(text)))).toBe(packed)
    expect(unpackSeptets(Buffer.from(packed, 'hex'), text.length)).toEqual(septetsOf(text))
  })

  it('packs eight septets into exactly seven octets', () => {
    expect(hex(packSeptets(new Uint8Array(8).fill(0x7f)))).toBe('FFFFFFFFFFFFFF')
  })

  it.each([1, 2, 3, 4, 5, 6])('puts %i zero bits in front', (fillBits) => {
    const octets = packSeptets(Uint8Array.of(0x7f), fillBits)
    expect(octets.length).toBe(fillBits + 7 > 8 ? 2 : 1)
    expect((octets[0] ?? 0) | ((octets[1] ?? 0) << 8)).toBe(0x7f << fillBits)
  })

  it('pads with zero bits after the last septet', () => {
    expect(hex(packSeptets(Uint8Array.of(0x7f, 0x7f)))).toBe('FF3F')
  })

  it('ignores the eighth bit of its input', () => {
    expect(packSeptets(Uint8Array.of(0xff, 0x80, 0x81))).toEqual(packSeptets(Uint8Array.of(0x7f, 0x00, 0x01)))
  })

  it('concatenates the bits of the septets, lowest first', () => {
    const bitsOf = (values: Uint8Array, width: number): string =>
      Array.from(values, (value) => value.toString(2).padStart(width, '0').split('').reverse().join('')).join('')
    fc.assert(
      fc.property(anySeptets, fc.integer({ min: 0, max: 6 }), (septets, fillBits) => {
        const expected = '0'.repeat(fillBits) + bitsOf(septets, 7)
        const octets = packSeptets(septets, fillBits)
        expect(bitsOf(octets, 8)).toBe(expected.padEnd(octets.length * 8, '0'))
      }),
    )
  })

  it('unpacks packed septets unchanged, with any number of fill bits', () => {
    fc.assert(
      fc.property(anySeptets, fc.integer({ min: 0, max: 6 }), (septets, fillBits) => {
        const octets = packSeptets(septets, fillBits)
        expect(octets.length).toBe(Math.ceil((fillBits + 7 * septets.length) / 8))
        expect(unpackSeptets(octets, septets.length, fillBits)).toEqual(septets)
      }),
    )
  })
})

describe('unpacking septets', () => {
  // 23.038 §6.1.2.1: seven zero bits after the text look like another @. Only the count distinguishes them.
  it.each([
    [7, 7],
    [8, 7],
    [8, 8],
    [9, 8],
    [9, 9],
  ])('unpacking septets of %i at-signs returns the number of at-signs that the count %i requests', (sent, count) => {
    expect(unpackSeptets(packSeptets(new Uint8Array(sent)), count)).toEqual(new Uint8Array(count))
  })

  it('distinguishes "1234567" from "1234567@" by the count, because their octets are equal', () => {
    const seven = packSeptets(septetsOf('1234567'))
    expect(packSeptets(septetsOf('1234567\0'))).toEqual(seven)
    expect(unpackSeptets(seven, 7)).toEqual(septetsOf('1234567'))
    expect(unpackSeptets(seven, 8)).toEqual(septetsOf('1234567\0'))
  })

  it('returns the complete septets of truncated octets', () => {
    const octets = packSeptets(septetsOf('hellohello'))
    expect(unpackSeptets(octets.subarray(0, 4), 10)).toEqual(septetsOf('hell'))
    expect(unpackSeptets(new Uint8Array(0), 10)).toEqual(new Uint8Array(0))
    expect(unpackSeptets(new Uint8Array(0), 10, 6)).toEqual(new Uint8Array(0))
  })

  it('accepts any octets, count and fill bits', () => {
    const octets = fc.uint8Array({ maxLength: 50 })
    fc.assert(
      fc.property(octets, fc.nat(60), fc.integer({ min: 0, max: 6 }), (given, count, fillBits) => {
        const septets = unpackSeptets(given, count, fillBits)
        expect(septets.length).toBeLessThanOrEqual(count)
        expect(septets.every((septet) => septet <= 0x7f)).toBe(true)
      }),
    )
  })
})
