import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Gsm7Shifts, septetsFromText, septetsOfCharacter, textFromSeptets } from './gsm7-alphabet.ts'
import { hasLockingTable, nationalLanguages } from './national-language.ts'

const septets = (...values: number[]): Uint8Array => Uint8Array.from(values)
const languages = [...nationalLanguages.keys()]
const everyPair: readonly Gsm7Shifts[] = [undefined, ...languages.filter(hasLockingTable)].flatMap((locking) =>
  [undefined, ...languages].map((single) => ({ locking, single })),
)
const nameOf = ({ locking = 0, single = 0 }: Gsm7Shifts): string => `locking ${locking}, single ${single}`

/** Returns every character of the two tables, as a receiver reads it. */
function charactersOf(shifts: Gsm7Shifts): readonly string[] {
  const found = new Set<string>()
  for (let septet = 0; septet < 0x80; septet++) {
    if (septet === 0x1b) continue
    found.add(textFromSeptets(septets(septet), shifts)).add(textFromSeptets(septets(0x1b, septet), shifts))
  }
  found.delete('\ufffd')
  return [...found]
}

describe('text in the default alphabet', () => {
  it.each([
    ['@', [0x00]],
    ['Hi £5', [0x48, 0x69, 0x20, 0x01, 0x35]],
    ['€', [0x1b, 0x65]],
    ['[a]', [0x1b, 0x3c, 0x61, 0x1b, 0x3e]],
    ['\f', [0x1b, 0x0a]],
    ['\r\n', [0x0d, 0x0a]],
    ['ΔΩ§à', [0x10, 0x15, 0x5f, 0x7f]],
    ['', []],
  ])('encodes and decodes %j', (text, expected) => {
    expect(septetsFromText(text)).toEqual(septets(...expected))
    expect(textFromSeptets(septets(...expected))).toBe(text)
  })

  it.each(['ç', '`', 'я', '😀', '\u001b', '\0', 'é́', 'Α', '“', '\ud83d', '\t', '\u00a0'])(
    'has no septets for %j and puts no other character in its place',
    (char) => {
      expect(septetsFromText(`a${char}b`)).toBeUndefined()
    },
  )

  it('encodes long texts of characters with two septets', () => {
    expect(septetsFromText('€'.repeat(20_000))?.length).toBe(40_000)
  })
})

describe('the septets of one character', () => {
  it.each([
    ['A', [0x41]],
    ['€', [0x1b, 0x65]],
    ['я', undefined],
    ['😀', undefined],
    ['', undefined],
  ])('the septets of one character of %j are %j', (char, expected) => {
    expect(septetsOfCharacter(char)).toEqual(expected)
  })

  it('the septets of one character are those of the encoded text, with every pair of tables', () => {
    // One comparison for each pair of tables, because thousands of single comparisons would take a second.
    for (const shifts of everyPair) {
      const chars = charactersOf(shifts)
      expect(chars.map((char) => (septetsOfCharacter(char, shifts) ?? []).join())).toEqual(
        chars.map((char) => septetsFromText(char, shifts)?.join()),
      )
    }
  })

  it('the septets of one character never end in an escape', () => {
    for (const shifts of everyPair) {
      const ends = charactersOf(shifts).map((char) => septetsOfCharacter(char, shifts)?.at(-1))
      expect(ends).not.toContain(0x1b)
    }
  })
})

// 23.038 §6.2.1.1
describe('an escape', () => {
  it('an escape before a code without an entry shows the character of the alphabet', () => {
    expect(textFromSeptets(septets(0x1b, 0x41, 0x1b, 0x00))).toBe('A@')
  })

  it('an escape before a code without an entry shows the character of the current locking shift table', () => {
    expect(textFromSeptets(septets(0x1b, 0x60), { locking: 1 })).toBe('ç')
    expect(textFromSeptets(septets(0x1b, 0x00), { locking: 6 })).toBe('\u0901')
  })

  it('an escape before 0x0D, CR2, is a carriage return', () => {
    expect(textFromSeptets(septets(0x1b, 0x0d))).toBe('\r')
  })

  it('an escape before another escape is one space for both', () => {
    expect(textFromSeptets(septets(0x1b, 0x1b, 0x65))).toBe(' e')
  })

  it('an escape at the end is dropped', () => {
    expect(textFromSeptets(septets(0x41, 0x1b))).toBe('A')
    expect(textFromSeptets(septets(0x1b))).toBe('')
  })
})

describe('national tables', () => {
  it.each([
    ['a locking shift', 'İstanbul ığşç', { locking: 1 }, 13],
    ['a single shift', 'ığşç', { single: 1 }, 8],
    ['Spanish', '¿Dónde está?', { single: 2 }, 14],
    ['Portuguese, both', 'coração não Φ', { locking: 3, single: 3 }, 14],
    ['Hindi, both', 'नमस्ते, ₹ नहीं १'.replace('₹ ', ''), { locking: 6, single: 6 }, 15],
    ['Urdu', 'السلام', { locking: 13 }, 6],
  ])('national tables encode text with %s', (_, text, shifts, length) => {
    const written = septetsFromText(text, shifts)
    expect(written?.length).toBe(length)
    expect(textFromSeptets(written ?? septets(), shifts)).toBe(text)
    expect(septetsFromText(text)).toBeUndefined()
  })

  it('national tables prefer one septet of the locking table to two septets of the single shift table', () => {
    expect(septetsOfCharacter('ç', { locking: 3, single: 3 })).toEqual([0x09])
    expect(septetsOfCharacter('€', { locking: 1, single: 1 })).toEqual([0x04])
    expect(textFromSeptets(septets(0x1b, 0x09), { locking: 3, single: 3 })).toBe('ç')
  })

  it('national tables encode a repeated character with the lower code, and decode both codes', () => {
    expect(septetsOfCharacter('¡', { locking: 6, single: 6 })).toEqual([0x1b, 0x13])
    expect(textFromSeptets(septets(0x1b, 0x15, 0x1b, 0x18), { single: 6 })).toBe('¡*')
  })

  it('national tables replace the default tables completely', () => {
    expect(septetsFromText('A', { locking: 6 })).toBeUndefined()
    expect(septetsFromText('è', { locking: 1 })).toBeUndefined()
    expect(septetsFromText('A', { locking: 6, single: 6 })).toEqual(septets(0x1b, 0x41))
  })

  it.each([
    { locking: 0 },
    { locking: 2 },
    { locking: 14, single: 200 },
    { single: -1 },
    { single: 256 },
    { locking: 1.5 },
  ])('the default tables are used when %j names no national tables', (shifts) => {
    expect(septetsFromText('A€', shifts)).toEqual(septets(0x41, 0x1b, 0x65))
    expect(textFromSeptets(septets(0x07, 0x1b, 0x65), shifts)).toBe('ì€')
  })

  it.each(everyPair.map((shifts) => [nameOf(shifts), shifts] as const))(
    'national tables decode any encoded text to the same text: %s',
    (_, shifts) => {
      const text = fc.array(fc.constantFrom(...charactersOf(shifts)), { maxLength: 60 }).map((chars) => chars.join(''))
      fc.assert(
        fc.property(text, (given) => {
          const written = septetsFromText(given, shifts)
          expect(textFromSeptets(written ?? septets(), shifts)).toBe(given)
        }),
        { numRuns: 20 },
      )
    },
  )

  it('national tables decode empty cells as U+FFFD, which is never encoded', () => {
    expect(textFromSeptets(septets(0x0c, 0x1b, 0x0c), { locking: 4 })).toBe('\ufffd\ufffd')
    expect(septetsFromText('\ufffd', { locking: 4 })).toBeUndefined()
  })

  it('national tables decode any septets to text without U+0000, which databases refuse, and without escapes', () => {
    const anySeptets = fc.uint8Array({ max: 0x7f })
    fc.assert(
      fc.property(anySeptets, fc.constantFrom(...everyPair), (given, shifts) => {
        const text = textFromSeptets(given, shifts)
        expect([text.includes('\0'), text.includes('\u001b')]).toEqual([false, false])
      }),
    )
  })
})
