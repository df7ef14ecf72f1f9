import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../testing/any-character.ts'
import { textFromUcs2, ucs2FromText } from './ucs2.ts'

describe('UCS-2', () => {
  it.each([
    ['', ''],
    ['Aя€', '0041044f20ac'],
    ['😀', 'd83dde00'],
  ])('encodes %j big-endian and decodes it', (text, octets) => {
    expect(Buffer.from(ucs2FromText(text)).toString('hex')).toBe(octets)
    expect(textFromUcs2(Buffer.from(octets, 'hex'))).toBe(text)
  })

  it.each([
    ['a lone high surrogate', 'd83d0041', '\ufffdA'],
    ['a lone low surrogate', '0041de00', 'A\ufffd'],
    ['a pair the wrong way round', 'de00d83d', '\ufffd\ufffd'],
    ['U+0000, which no PostgreSQL text can hold,', '00410000', 'A\ufffd'],
  ])('decodes %s as U+FFFD', (_, octets, text) => {
    expect(textFromUcs2(Buffer.from(octets, 'hex'))).toBe(text)
  })

  it('encodes half a surrogate pair and U+0000 as U+FFFD', () => {
    expect(Buffer.from(ucs2FromText('a\ud83d')).toString('hex')).toBe('0061fffd')
    expect(Buffer.from(ucs2FromText('\0a')).toString('hex')).toBe('fffd0061')
  })

  it('drops an odd octet at the end', () => {
    expect(textFromUcs2(Uint8Array.of(0x00, 0x41, 0x04))).toBe('A')
    expect(textFromUcs2(Uint8Array.of(0x00))).toBe('')
  })

  it('returns any text, with U+FFFD for U+0000', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(textFromUcs2(ucs2FromText(text))).toBe(text.replaceAll('\0', '\ufffd'))
      }),
    )
  })

  it('decodes any octets to well-formed text without U+0000', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0x00, 0x41, 0xd8, 0xdc)), (octets) => {
        const text = textFromUcs2(Uint8Array.from(octets))
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain('\0')
      }),
    )
  })
})
