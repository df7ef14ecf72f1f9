import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUintvar, encodeUintvar, MAX_UINTVAR } from './wsp-values.ts'

describe('uintvar', () => {
  it('a uintvar is encoded in as few octets as possible and decoded', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_UINTVAR }), (value) => {
        const octets = encodeUintvar(value)
        expect(decodeUintvar(octets, 0, 'field')).toEqual({ value, length: octets.length })
        expect(octets.length).toBe(Math.max(1, Math.ceil(Math.log2(value + 1) / 7)))
      }),
    )
  })

  it('a uintvar is decoded from its offset up to the given end', () => {
    const octets = Uint8Array.of(0xff, 0x81, 0x00)
    expect(decodeUintvar(octets, 1, 'field')).toEqual({ value: 128, length: 2 })
    expect(() => decodeUintvar(octets, 1, 'field', 2)).toThrow('field at octet 2')
  })

  it.each([-1, 1.5, MAX_UINTVAR + 1, Number.NaN])('refuses to encode %s as a uintvar', (value) => {
    expect(() => encodeUintvar(value)).toThrow('uintvar')
  })
})
