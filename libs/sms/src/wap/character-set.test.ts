import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { characterSets, textFromCharacterSet, textFromUtf8, utf8FromText } from './character-set.ts'

describe('UTF-8', () => {
  it('UTF-8 is decoded as by TextDecoder, including invalid octets', () => {
    const platform = new TextDecoder('utf-8', { ignoreBOM: true })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (octets) => {
        expect(textFromUtf8(octets).text).toBe(platform.decode(octets))
      }),
      { numRuns: 5000 },
    )
  })

  it('UTF-8 is valid exactly when TextDecoder accepts it', () => {
    const platform = new TextDecoder('utf-8', { fatal: true })
    const isValid = (octets: Uint8Array) => {
      try {
        platform.decode(octets)
        return true
      } catch {
        return false
      }
    }
    // Mostly lead and continuation octets, because these are the most likely to fail.
    const octet = fc.oneof(fc.integer({ min: 0x80, max: 0xff }), fc.integer({ min: 0x20, max: 0x7e }))
    fc.assert(
      fc.property(fc.array(octet, { maxLength: 6 }), (values) => {
        const octets = Uint8Array.from(values)
        expect(textFromUtf8(octets).valid).toBe(isValid(octets))
      }),
      { numRuns: 5000 },
    )
  })

  it('UTF-8 is encoded as by TextEncoder, including half surrogate pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x10_ffff }), { maxLength: 12 }), (points) => {
        const text = String.fromCodePoint(...points)
        expect(utf8FromText(text)).toEqual(new TextEncoder().encode(text))
      }),
    )
  })
})

describe('a text', () => {
  const octets = Uint8Array.of(0x48, 0xe9)

  it('a text in an unknown character set is decoded as UTF-8 if valid, otherwise as ISO 8859-1', () => {
    expect(textFromCharacterSet(octets, 2252)).toBe('Hé')
    expect(textFromCharacterSet(utf8FromText('Hé'), 2252)).toBe('Hé')
    expect(textFromCharacterSet(utf8FromText('Hé'), characterSets.any)).toBe('Hé')
  })

  it('a text is decoded only in the given character set', () => {
    expect(textFromCharacterSet(octets, characterSets.utf8)).toBe('H\ufffd')
    expect(textFromCharacterSet(octets, characterSets.usAscii)).toBe('H\ufffd')
    expect(textFromCharacterSet(octets, characterSets.iso88591)).toBe('Hé')
    expect(textFromCharacterSet(octets, characterSets.utf16BigEndian)).toBe('\u48e9')
    expect(textFromCharacterSet(octets, characterSets.utf16LittleEndian)).toBe('\ue948')
  })
  it('a text never contains U+0000, in any character set', () => {
    for (const mibEnum of [undefined, ...Object.values(characterSets)]) {
      const text = textFromCharacterSet(Uint8Array.of(0x00, 0x00, 0x00, 0x41), mibEnum)
      expect(text).toContain('\ufffd')
      expect(text).not.toContain('\0')
    }
  })

  it('decoding a text does not change the octets', () => {
    const given = Buffer.from([0x41, 0x00, 0x42, 0x00])
    expect(textFromCharacterSet(given, characterSets.utf16LittleEndian)).toBe('AB')
    expect([...given]).toEqual([0x41, 0x00, 0x42, 0x00])
  })
})
