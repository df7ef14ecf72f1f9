import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUintvar, encodeUintvar, largestUintvar } from './uintvar.ts'

describe('uintvar', () => {
  it('comes back as it went, in as few octets as it takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: largestUintvar }), (value) => {
        const octets = encodeUintvar(value)
        expect(decodeUintvar(octets, 0, 'field')).toEqual({ value, length: octets.length })
        expect(octets.length).toBe(Math.max(1, Math.ceil(Math.log2(value + 1) / 7)))
      }),
    )
  })

  it('is read from its offset and not beyond the end it is given', () => {
    const octets = Uint8Array.of(0xff, 0x81, 0x00)
    expect(decodeUintvar(octets, 1, 'field')).toEqual({ value: 128, length: 2 })
    expect(() => decodeUintvar(octets, 1, 'field', 2)).toThrow('field at octet 2')
  })

  it.each([-1, 1.5, largestUintvar + 1, Number.NaN])('refuses to write %s', (value) => {
    expect(() => encodeUintvar(value)).toThrow('uintvar')
  })
})
