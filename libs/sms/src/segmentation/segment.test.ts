import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeDataCodingScheme } from '../fields/data-coding-scheme.ts'
import { decodeUserData, encodeUserDataField, textOfUserData, type UserData } from '../fields/user-data.ts'
import { concatenationOf, nationalLanguagesOf, portsOf } from '../fields/user-data-header.ts'
import { OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { anyCharacter } from '../testing/any-character.ts'
import { countParts, partCapacity } from './part-boundaries.ts'
import { partsNeeded, type SegmentOptions, segment, segmentData, TooManyPartsError } from './segment.ts'
import { ucs2Units } from './text-units.ts'

const reference = 0x5a
const plain = { reference }

/** Encodes and decodes the parts as TP-UD, like the network. */
function carried(parts: readonly UserData[], dataCodingScheme: number): readonly UserData[] {
  return parts.map((part) => {
    const field = encodeUserDataField(part, dataCodingScheme)
    expect(field.length).toBeLessThanOrEqual(1 + 140)
    return decodeUserData(new OctetReader(field), decodeDataCodingScheme(dataCodingScheme), part.header !== undefined)
  })
}

const sizes = ({ parts }: { readonly parts: readonly UserData[] }) => parts.map(({ units }) => units.length)

describe('an ordinary text', () => {
  test('an ordinary text of 160 septets is one part, and a text of 161 septets is two parts', () => {
    expect(segment('a'.repeat(160), plain)).toMatchObject({ unitsUsedInLastPart: 160, unitsLeftInLastPart: 0 })
    expect(sizes(segment('a'.repeat(160), plain))).toEqual([160])
    expect(sizes(segment('a'.repeat(161), plain))).toEqual([153, 8])
    expect(segment('a'.repeat(161), plain)).toMatchObject({ unitsPerPart: 153, unitsLeftInLastPart: 145 })
  })

  test('an ordinary text in UCS-2 is one part up to 70 units', () => {
    expect(sizes(segment('я'.repeat(70), plain))).toEqual([140])
    expect(sizes(segment('я'.repeat(71), plain))).toEqual([134, 8])
    expect(segment('я'.repeat(71), plain)).toMatchObject({ unitsPerPart: 67, unitsUsedInLastPart: 4 })
  })

  test('an ordinary text that is empty is one empty part', () => {
    const { parts, encoding, unitsLeftInLastPart } = segment('', plain)
    expect(parts).toEqual([{ alphabet: 'gsm7', header: undefined, units: new Uint8Array() }])
    expect({ encoding, unitsLeftInLastPart }).toEqual({ encoding: 'gsm7', unitsLeftInLastPart: 160 })
  })

  test('an ordinary text names its alphabet and class in the data coding scheme', () => {
    expect(segment('a', plain).dataCodingScheme).toBe(0x00)
    expect(segment('я', plain).dataCodingScheme).toBe(0x08)
    expect(segment('a', { ...plain, messageClass: 0 }).dataCodingScheme).toBe(0x10)
  })
})

describe('the parts of a long text', () => {
  test('the parts of a long text contain the reference, the total and their number; a single part has no numbering', () => {
    const { parts } = segment('a'.repeat(400), { reference: 0xbeef, referenceWidth: 16 })
    expect(parts.map(({ header }) => concatenationOf(header))).toEqual(
      [1, 2, 3].map((sequence) => ({ width: 16, reference: 0xbeef, total: 3, sequence })),
    )
    expect(segment('a', plain).parts[0]?.header).toBeUndefined()
  })

  test('the parts of a long text all have the ports and the national tables', () => {
    const ports = { width: 16, destination: 5000, source: 0 } as const
    const { parts } = segment('ş'.repeat(300), { ...plain, ports, nationalShifts: [1] })
    expect(parts.length).toBeGreaterThan(1)
    for (const { header } of parts) {
      expect(portsOf(header)).toEqual(ports)
      expect(nationalLanguagesOf(header).locking).toBe(1)
    }
  })

  test('the parts of a long text never split an escape pair', () => {
    // The pair would straddle the end of the first part.
    expect(sizes(segment(`${'a'.repeat(152)}€${'a'.repeat(20)}`, plain))).toEqual([152, 22])
  })

  test('the parts of a long text never split a surrogate pair', () => {
    const parts = segment(`${'я'.repeat(66)}😀${'я'.repeat(20)}`, plain).parts
    expect(parts.map(textOfUserData)).toEqual(['я'.repeat(66), `😀${'я'.repeat(20)}`])
  })

  test('a long text gets one more part if a surrogate pair would otherwise be split', () => {
    // If the surrogate pair could be split, the 134 units would exactly fill two parts.
    expect(segment(`${'я'.repeat(66)}😀${'я'.repeat(66)}`, plain).parts).toHaveLength(3)
  })

  test('the parts of a long text keep a grapheme cluster together if that needs no additional part', () => {
    const family = '👨‍👩‍👧'
    const { parts } = segment(`${'я'.repeat(64)}${family}${'я'.repeat(20)}`, plain)
    expect(parts.map(textOfUserData)).toEqual(['я'.repeat(64), `${family}${'я'.repeat(20)}`])
  })

  test('the parts of a long text split a grapheme cluster if keeping it together would need an additional part', () => {
    const text = `${'я'.repeat(66)}e\u0301${'я'.repeat(66)}`
    expect(segment(text, plain).parts.map(textOfUserData)).toEqual([`${'я'.repeat(66)}e`, `\u0301${'я'.repeat(66)}`])
  })

  test('the parts of a long text keep a line end of two characters together', () => {
    expect(segment(`${'a'.repeat(152)}\r\n${'a'.repeat(20)}`, plain).parts.map(textOfUserData)).toEqual([
      'a'.repeat(152),
      `\r\n${'a'.repeat(20)}`,
    ])
  })

  test('the parts of a long text keep clusters of national tables together', () => {
    // कि is a letter and a vowel sign, both in the Hindi locking table; the braces are escaped.
    const text = `${'{'.repeat(10)}${'क'.repeat(129 - 1)}कि${'क'.repeat(40)}`
    const { parts, shifts } = segment(text, { ...plain, nationalShifts: [6] })
    expect(shifts).toEqual({ locking: 6 })
    expect(textOfUserData(parts[1]!)).toBe(`कि${'क'.repeat(40)}`)
  })

  test('the parts of a long text keep clusters with an escaped mark together', () => {
    // The middle character of the cluster, U+0951, is only in the single shift table; a full part would end after it.
    const { parts, shifts } = segment(`${'क'.repeat(143)}क\u0951ि${'क'.repeat(40)}`, { ...plain, nationalShifts: [6] })
    expect(shifts).toEqual({ locking: 6, single: 6 })
    expect(textOfUserData(parts[1]!)).toBe(`क\u0951ि${'क'.repeat(40)}`)
  })
})

describe('a cluster with one escaped character', () => {
  test('a cluster with one escaped character is kept together when the escaped character comes first', () => {
    // U+0959 is only in the single shift table, the vowel sign after it in the locking table.
    const text = `${'क'.repeat(144)}\u0959ि${'क'.repeat(40)}`
    const { parts, shifts } = segment(text, { ...plain, nationalShifts: [6] })
    expect(shifts).toEqual({ locking: 6, single: 6 })
    expect(parts.map(textOfUserData)).toEqual(['क'.repeat(144), `\u0959ि${'क'.repeat(40)}`])
  })
})

test('the parts of data are copies', () => {
  const data = Buffer.from([1, 2, 3])
  const { parts } = segmentData(data, { ...plain, ports: { width: 8, destination: 1, source: 2 } })
  data.fill(0)
  expect(parts[0]?.units).toEqual(Uint8Array.of(1, 2, 3))
})

describe('too many parts', () => {
  const text = 'a'.repeat(153 * 255 + 1)

  test('too many parts are refused with the number of parts needed', () => {
    expect(() => segment(text, plain)).toThrow(new TooManyPartsError(256, 255))
    expect(() => segment('a'.repeat(400), { ...plain, maxParts: 2 })).toThrow('TP-UD: needs 3 parts, the maximum is 2')
    expect(() => segment('a'.repeat(400), { ...plain, maxParts: 2 })).toThrow(PduEncodeError)
    expect(partsNeeded(text)).toBe(256)
  })

  test('up to 255 parts are allowed', () => {
    expect(segment(text.slice(1), plain).parts).toHaveLength(255)
  })

  test('more than 255 parts are refused, even if the caller allows more', () => {
    expect(() => segment(text, { ...plain, maxParts: 1000 })).toThrow(new TooManyPartsError(256, 255))
  })
})

describe('a reference that does not fit its width', () => {
  test('a reference that does not fit its width is refused', () => {
    expect(() => segment('a'.repeat(161), { reference: 256 })).toThrow(PduEncodeError)
    expect(() => segment('a'.repeat(161), { reference: 0x10000, referenceWidth: 16 })).toThrow(PduEncodeError)
  })
})

describe('data for a port', () => {
  const ports = { width: 16, destination: 2948, source: 9200 } as const

  test('data for a port is one part up to 133 octets, and longer data has 128 octets per part', () => {
    expect(sizes(segmentData(new Uint8Array(133), { ...plain, ports }))).toEqual([133])
    expect(sizes(segmentData(new Uint8Array(134), { ...plain, ports }))).toEqual([128, 6])
    expect(segmentData(new Uint8Array(134), { ...plain, ports })).toMatchObject({
      encoding: 'octets',
      dataCodingScheme: 0x04,
      unitsPerPart: 128,
      unitsUsedInLastPart: 6,
      unitsLeftInLastPart: 122,
    })
  })

  test('data for a port is decoded unchanged with its ports, for any length and header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.constantFrom(8, 16), fc.nat(255), (data, width, port) => {
        const options = {
          reference,
          referenceWidth: width,
          ports: { width, destination: port, source: 255 - port },
        } as const
        const { parts, dataCodingScheme } = segmentData(data, options)
        const arrived = carried(parts, dataCodingScheme)
        expect(arrived.flatMap(({ units }) => [...units])).toEqual([...data])
        for (const { header } of arrived) expect(portsOf(header)).toEqual(options.ports)
      }),
    )
  })

  test('data for a port that is empty is one empty part; too much data is refused', () => {
    expect(sizes(segmentData(new Uint8Array(), { ...plain, ports }))).toEqual([0])
    expect(() => segmentData(new Uint8Array(128 * 255 + 1), { ...plain, ports })).toThrow(
      new TooManyPartsError(256, 255),
    )
  })
})

const gsm = fc.string({ unit: fc.constantFrom(...'abc XYZ0123\n\r@é€[]{}~^|\\ΔΩ'), maxLength: 700 })
const turkish = fc.string({ unit: fc.constantFrom(...'abc şğıİŞç€[]'), maxLength: 500 })
const hindi = fc.string({ unit: fc.constantFrom(...'नमस्ते किताब।€{}'), maxLength: 500 })
const emoji = fc.string({ unit: 'grapheme', maxLength: 200 })
const anything = fc.string({ unit: anyCharacter, maxLength: 300 })
const texts = fc.oneof(gsm, turkish, hindi, emoji, anything)

const options: fc.Arbitrary<SegmentOptions> = fc.record(
  {
    reference: fc.nat(255),
    referenceWidth: fc.constantFrom(8, 16),
    nationalShifts: fc.subarray([1, 2, 3, 6, 13]),
    transliterate: fc.boolean(),
    ports: fc.constant({ width: 16, destination: 1, source: 2 } as const),
    messageClass: fc.constantFrom(0, 1, 2, 3),
  },
  { requiredKeys: ['reference'] },
)

describe('for any text and options', () => {
  test('the parts decode to the returned text', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const made = segment(text, chosen)
        const arrived = carried(made.parts, made.dataCodingScheme)
        expect(arrived.map(textOfUserData).join('')).toBe(made.text)
        if (chosen.transliterate !== true) expect(made.text).toBe(text.toWellFormed().replaceAll('\0', '\ufffd'))
      }),
    )
  })

  test('no part exceeds its capacity, and the rest of the last part is reported', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const made = segment(text, chosen)
        const unitSize = made.encoding === 'ucs2' ? 2 : 1
        const used = made.parts.map(({ units }) => units.length / unitSize)
        const capacities = made.parts.map(({ header }) => partCapacity(made.encoding, header?.elements ?? []))
        expect(new Set(capacities)).toEqual(new Set([made.unitsPerPart]))
        expect(Math.max(...used)).toBeLessThanOrEqual(made.unitsPerPart)
        expect(made.unitsUsedInLastPart).toBe(used.at(-1))
        expect(made.unitsLeftInLastPart).toBe(made.unitsPerPart - made.unitsUsedInLastPart)
      }),
    )
  })

  test('every part can be decoded alone, without half a pair', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        for (const part of segment(text, chosen).parts) {
          if (part.alphabet === 'gsm7') expect(part.units.at(-1)).not.toBe(0x1b)
          else expect(textOfUserData({ ...part })?.isWellFormed()).toBe(true)
          if (part.alphabet === 'ucs2' && !/[\0\ufffd]/.test(text) && text.isWellFormed()) {
            expect(textOfUserData(part)).not.toContain('\ufffd')
          }
        }
      }),
    )
  })

  test('the number of parts equals partsNeeded and does not depend on clusters', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const made = segment(text, chosen)
        expect(partsNeeded(text, chosen)).toBe(made.parts.length)
        if (made.encoding === 'ucs2') {
          expect(made.parts).toHaveLength(Math.max(1, countParts(ucs2Units(made.text), made.unitsPerPart)))
        }
      }),
    )
  })

  test('UCS-2 never needs fewer parts than the chosen encoding', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        expect(segment(text, chosen).parts.length).toBeLessThanOrEqual(
          partsNeeded(text, { ...chosen, encoding: 'ucs2' }),
        )
      }),
    )
  })

  test('an additional option never adds a part', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        const { nationalShifts, transliterate, ...strict } = chosen
        expect(partsNeeded(text, chosen)).toBeLessThanOrEqual(partsNeeded(text, strict))
      }),
    )
  })

  test('the same text and options have the same result', () => {
    fc.assert(
      fc.property(texts, options, (text, chosen) => {
        expect(segment(text, chosen)).toEqual(segment(text, chosen))
      }),
    )
  })
})
