import { describe, expect, it } from 'vitest'
import { hasLockingTable, hasSingleTable, nationalLanguages } from './national-language.ts'
import { defaultAlphabet, defaultExtension } from './national-tables/default.ts'
import { type SeptetTable, unitsOfSeptetTable } from './septet-table.ts'

// 23.038 §6.2.1.2.4, with the Unicode block of each language of India and Pakistan.
const languages = [
  { id: 1, name: 'Turkish' },
  { id: 2, name: 'Spanish' },
  { id: 3, name: 'Portuguese' },
  { id: 4, name: 'Bengali', block: 0x0980 },
  { id: 5, name: 'Gujarati', block: 0x0a80 },
  { id: 6, name: 'Hindi', block: 0x0900 },
  { id: 7, name: 'Kannada', block: 0x0c80 },
  { id: 8, name: 'Malayalam', block: 0x0d00 },
  { id: 9, name: 'Oriya', block: 0x0b00 },
  { id: 10, name: 'Punjabi', block: 0x0a00 },
  { id: 11, name: 'Tamil', block: 0x0b80 },
  { id: 12, name: 'Telugu', block: 0x0c00 },
  { id: 13, name: 'Urdu', block: 0x0600 },
]
const withBlock = languages.flatMap(({ block, ...language }) => (block === undefined ? [] : [{ ...language, block }]))
const indic = withBlock.filter(({ name }) => name !== 'Urdu')

const tablesOf = (id: number) => {
  const tables = nationalLanguages.get(id)
  if (tables === undefined) throw new Error(`no tables for ${id}`)
  return tables
}
const lockingOf = (id: number): Uint16Array => unitsOfSeptetTable(tablesOf(id).locking as SeptetTable)
const singleOf = (id: number): Uint16Array => unitsOfSeptetTable(tablesOf(id).single)

const everyTable: readonly (readonly [string, SeptetTable])[] = [
  ['default alphabet', defaultAlphabet],
  ['default extension', defaultExtension],
  ...[...nationalLanguages.values()].flatMap(({ name, locking, single }) => [
    ...(locking === undefined ? [] : [[`${name} locking`, locking] as const]),
    [`${name} single`, single] as const,
  ]),
]

/** Returns the differences between two tables, as `{ septet in hexadecimal: character }`. */
function changes(from: Uint16Array, to: Uint16Array): Record<string, string> {
  const found: Record<string, string> = {}
  to.forEach((unit, septet) => {
    if (unit !== from[septet]) found[septet.toString(16).padStart(2, '0')] = String.fromCharCode(unit)
  })
  return found
}

describe('national languages', () => {
  it('national languages are the thirteen of 23.038 §6.2.1.2.4', () => {
    const numbered = [...nationalLanguages].map(([id, { name }]) => ({ id, name }))
    expect(numbered).toEqual(languages.map(({ id, name }) => ({ id, name })))
    expect(languages.map(({ id }) => nationalLanguages.get(id)?.name)).toEqual(languages.map(({ name }) => name))
  })

  it('national languages have both tables, except Spanish, which has no locking table', () => {
    expect(languages.filter(({ id }) => hasSingleTable(id))).toHaveLength(13)
    expect(languages.filter(({ id }) => !hasLockingTable(id)).map(({ name }) => name)).toEqual(['Spanish'])
  })

  it.each([0, 14, 255, -1, 1.5])('national languages have no entry for the reserved identifier %d', (id) => {
    expect([nationalLanguages.get(id), hasLockingTable(id), hasSingleTable(id)]).toEqual([undefined, false, false])
  })
})

describe.each(everyTable)('the %s table', (name, table) => {
  const units = unitsOfSeptetTable(table)
  const isExtension = /extension|single/.test(name)

  it('a table has eight columns of sixteen cells', () => {
    expect(table.map((column) => column.split(' ').length)).toEqual(new Array(8).fill(16))
    expect(table.join(' ')).not.toMatch(/ {2}|^ | $/)
  })

  it('a table has characters, code points and known names in its cells, and no surrogates', () => {
    for (const cell of table.flatMap((column) => column.split(' '))) {
      expect(cell).toMatch(/^(?:[!-\u{ffff}]|[0-9A-F]{4}|SP|LF|FF|CR|ESC|--)$/u)
    }
    expect(units.every((unit) => unit < 0xd800 || unit > 0xdfff)).toBe(true)
  })

  it('a table has the control characters at the same septets as all tables', () => {
    // In an extension table, 0x0D is CR2 and 0x1B leads to another table: neither is a character.
    const expected = isExtension ? [0x0c, 0, 0] : [0x0a, 0x0d, 0x1b]
    expect([units[0x0a], units[0x0d], units[0x1b]]).toEqual(expected)
  })

  it('an alphabet has the space at 0x20, and an extension has no space', () => {
    expect(units.indexOf(0x20)).toBe(isExtension ? -1 : 0x20)
  })

  it('a table contains each character once, except ¡ and * in the single shift tables of India and Pakistan', () => {
    const seen = [...units].filter((unit) => unit !== 0).map((unit) => String.fromCharCode(unit))
    const twice = seen.filter((char, at) => seen.indexOf(char) !== at)
    const ofIndiaOrPakistan = withBlock.some((language) => name === `${language.name} single`)
    expect(twice.sort()).toEqual(ofIndiaOrPakistan ? ['*', '¡'] : [])
  })
})

describe('the default alphabet', () => {
  it('the default alphabet is complete', () => {
    expect(unitsOfSeptetTable(defaultAlphabet)).not.toContain(0)
  })

  it.each([
    [0x00, '@'],
    [0x09, 'Ç'],
    [0x10, 'Δ'],
    [0x24, '¤'],
    [0x40, '¡'],
    [0x41, 'A'],
    [0x5f, '§'],
    [0x60, '¿'],
    [0x61, 'a'],
    [0x7f, 'à'],
  ])('the default alphabet has at septet %i %s', (septet, char) => {
    expect(String.fromCharCode(unitsOfSeptetTable(defaultAlphabet)[septet] ?? 0)).toBe(char)
  })

  it('the default alphabet equals ASCII for letters, digits and most symbols', () => {
    const units = unitsOfSeptetTable(defaultAlphabet)
    const notAscii = Array.from({ length: 0x60 }, (_, at) => at + 0x20).filter((septet) => units[septet] !== septet)
    expect(notAscii).toEqual([0x24, 0x40, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f])
  })

  it('the default alphabet has ten characters in its extension', () => {
    expect(changes(new Uint16Array(128), unitsOfSeptetTable(defaultExtension))).toEqual({
      '0a': '\f',
      '14': '^',
      '28': '{',
      '29': '}',
      '2f': '\\',
      '3c': '[',
      '3d': '~',
      '3e': ']',
      '40': '|',
      '65': '€',
    })
  })
})

describe('the languages in Latin letters', () => {
  const main = unitsOfSeptetTable(defaultAlphabet)
  const extension = unitsOfSeptetTable(defaultExtension)

  it('the languages in Latin letters differ for Turkish as in A.3.1 and A.2.1', () => {
    expect(changes(main, lockingOf(1))).toEqual({
      '04': '€',
      '07': 'ı',
      '0b': 'Ğ',
      '0c': 'ğ',
      '1c': 'Ş',
      '1d': 'ş',
      '40': 'İ',
      '60': 'ç',
    })
    expect(changes(extension, singleOf(1))).toEqual({
      '47': 'Ğ',
      '49': 'İ',
      '53': 'Ş',
      '63': 'ç',
      '67': 'ğ',
      '69': 'ı',
      '73': 'ş',
    })
  })

  it('the languages in Latin letters differ for Spanish as in A.2.2', () => {
    expect(changes(extension, singleOf(2))).toEqual({
      '09': 'ç',
      '41': 'Á',
      '49': 'Í',
      '4f': 'Ó',
      '55': 'Ú',
      '61': 'á',
      '69': 'í',
      '6f': 'ó',
      '75': 'ú',
    })
  })

  it('the languages in Latin letters differ for Portuguese as in A.3.3 and A.2.3', () => {
    expect(changes(main, lockingOf(3))).toEqual({
      '04': 'ê',
      '06': 'ú',
      '07': 'í',
      '08': 'ó',
      '09': 'ç',
      '0b': 'Ô',
      '0c': 'ô',
      '0e': 'Á',
      '0f': 'á',
      '12': 'ª',
      '13': 'Ç',
      '14': 'À',
      '15': '∞',
      '16': '^',
      '17': '\\',
      '18': '€',
      '19': 'Ó',
      '1a': '|',
      '1c': 'Â',
      '1d': 'â',
      '1e': 'Ê',
      '24': 'º',
      '40': 'Í',
      '5b': 'Ã',
      '5c': 'Õ',
      '5d': 'Ú',
      '60': '~',
      '7b': 'ã',
      '7c': 'õ',
      '7d': '`',
    })
    expect(changes(extension, singleOf(3))).toEqual({
      '05': 'ê',
      '09': 'ç',
      '0b': 'Ô',
      '0c': 'ô',
      '0e': 'Á',
      '0f': 'á',
      '12': 'Φ',
      '13': 'Γ',
      '15': 'Ω',
      '16': 'Π',
      '17': 'Ψ',
      '18': 'Σ',
      '19': 'Θ',
      '1f': 'Ê',
      '41': 'À',
      '49': 'Í',
      '4f': 'Ó',
      '55': 'Ú',
      '5b': 'Ã',
      '5c': 'Õ',
      '61': 'Â',
      '69': 'í',
      '6f': 'ó',
      '75': 'ú',
      '7b': 'ã',
      '7c': 'õ',
      '7f': 'â',
    })
  })
})

describe.each(withBlock)('$name', ({ id, block, name }) => {
  const isOwn = (unit: number): boolean => unit >= block && unit < block + (name === 'Urdu' ? 0x100 : 0x80)
  /**
   * Returns the table in lines of sixteen characters. Empty cells and characters of the language's own script become
   * spaces.
   */
  const commonPartOf = (units: Uint16Array): readonly string[] =>
    Array.from({ length: 8 }, (_, column) =>
      String.fromCharCode(
        ...[...units.subarray(16 * column, 16 * column + 16)].map((unit) => (isOwn(unit) ? 0x20 : unit || 0x20)),
      ),
    )

  it('the locking table has digits, lower-case letters and eight symbols besides its own script', () => {
    expect(commonPartOf(lockingOf(id))).toEqual([
      '          \n  \r  ',
      '           \u001b    ',
      ' !      )(  , . ',
      '0123456789:;   ?',
      '                ',
      '                ',
      ' abcdefghijklmno',
      'pqrstuvwxyz     ',
    ])
  })

  it('the single shift table has the symbols, the capitals and € besides its own script', () => {
    // All Indian languages except Telugu use the Devanagari danda and double danda.
    const dandas = ['Gujarati', 'Kannada', 'Malayalam', 'Oriya', 'Punjabi', 'Tamil'].includes(name) ? '।॥' : '  '
    expect(commonPartOf(singleOf(id))).toEqual([
      '@£$¥¿"¤%&\'\f*+ -/',
      `<=>¡^¡_#*${dandas}     `,
      '        {}     \\',
      '            [~] ',
      '|ABCDEFGHIJKLMNO',
      'PQRSTUVWXYZ     ',
      '     €          ',
      '                ',
    ])
  })

  it('the single shift table has its own digits in order', () => {
    const zero = name === 'Urdu' ? 0x06f0 : block + 0x66
    // The Bengali table has no dandas before the digits. Septet 0x1B has no character.
    const septets = name === 'Bengali' ? [0x19, 0x1a] : [0x24, 0x25]
    septets.push(0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23)
    const figures = septets.sort().map((septet) => singleOf(id)[septet])
    expect(figures).toEqual(Array.from({ length: 10 }, (_, figure) => zero + figure))
  })
})

describe('the locking tables of India and Pakistan', () => {
  it('the locking tables of India and Pakistan have the number of characters of A.3.4 to A.3.13', () => {
    const counts = withBlock.map(({ id }) => lockingOf(id).filter((unit) => unit !== 0 && unit !== 0x1b).length)
    expect(counts).toEqual([114, 120, 127, 120, 120, 116, 110, 102, 120, 127])
  })
})

// These scripts are arranged alike in Unicode, so a letter has the same septet in every language that contains it.
// This test detects a table shifted by one cell, and a cell with a character of another block.
describe.each(indic)('$name', ({ id, block }) => {
  it('the table has at each septet up to 0x5F the same letter as Devanagari, or no letter', () => {
    const devanagari = lockingOf(6)
    lockingOf(id).forEach((unit, septet) => {
      if (septet >= 0x60 || unit < 0x80) return
      expect([septet, unit - block]).toEqual([septet, (devanagari[septet] ?? 0) - 0x0900])
    })
  })
})

// The code points that are not covered by the rules above, as runs that start at a septet.
describe('the code points', () => {
  const run = (units: Uint16Array, first: number, length: number): string =>
    Array.from(units.subarray(first, first + length), (unit) => unit.toString(16).padStart(4, '0')).join(' ')

  it.each([
    ['Bengali', 4, 0x60, '09ce'],
    ['Bengali', 4, 0x7b, '09d7 09dc 09dd 09f0 09f1'],
    ['Gujarati', 5, 0x60, '0ad0'],
    ['Gujarati', 5, 0x7b, '0ae0 0ae1 0ae2 0ae3 0af1'],
    ['Hindi', 6, 0x60, '0950'],
    ['Hindi', 6, 0x7b, '0972 097b 097c 097e 097f'],
    ['Kannada', 7, 0x60, '0cd5'],
    ['Kannada', 7, 0x7b, '0cd6 0ce0 0ce1 0ce2 0ce3'],
    ['Malayalam', 8, 0x60, '0d57'],
    ['Malayalam', 8, 0x7b, '0d60 0d61 0d62 0d63 0d79'],
    ['Oriya', 9, 0x60, '0b56'],
    ['Oriya', 9, 0x7b, '0b57 0b60 0b61 0b62 0b63'],
    ['Punjabi', 10, 0x60, '0a51'],
    ['Punjabi', 10, 0x7b, '0a70 0a71 0a72 0a73 0a74'],
    ['Tamil', 11, 0x60, '0bd0'],
    ['Tamil', 11, 0x7b, '0bd7 0bf0 0bf1 0bf2 0bf9'],
    ['Telugu', 12, 0x60, '0c55'],
    ['Telugu', 12, 0x7b, '0c56 0c60 0c61 0c62 0c63'],
    ['Urdu', 13, 0x00, '0627 0622 0628 067b 0680 067e 06a6 062a 06c2 067f'],
    ['Urdu', 13, 0x0b, '0679 067d'],
    ['Urdu', 13, 0x0e, '067a 067c 062b 062c 0681 0684 0683 0685 0686 0687 062d 062e 062f'],
    ['Urdu', 13, 0x1c, '068c 0688 0689 068a'],
    ['Urdu', 13, 0x22, '068f 068d 0630 0631 0691 0693'],
    ['Urdu', 13, 0x2a, '0699 0632'],
    ['Urdu', 13, 0x2d, '0696'],
    ['Urdu', 13, 0x2f, '0698'],
    ['Urdu', 13, 0x3c, '069a 0633 0634'],
    [
      'Urdu',
      13,
      0x40,
      '0635 0636 0637 0638 0639 0641 0642 06a9 06aa 06ab 06af 06b3 06b1 0644 0645 0646 06ba 06bb 06bc 0648 06c4 06d5 06c1 06be 0621 06cc 06d0 06d2 064d 0650 064f 0657 0654',
    ],
    ['Urdu', 13, 0x7b, '0655 0651 0653 0656 0670'],
  ])('the code points of the %s locking table (%i) from septet %i on are %s', (_, id, first, expected) => {
    expect(run(lockingOf(id), first, expected.split(' ').length)).toBe(expected)
  })

  it.each([
    ['Bengali', 4, 0x19, '09e6 09e7'],
    ['Bengali', 4, 0x24, '09df 09e0 09e1 09e2'],
    ['Bengali', 4, 0x2a, '09e3 09f2 09f3 09f4 09f5'],
    ['Bengali', 4, 0x30, '09f6 09f7 09f8 09f9 09fa'],
    ['Gujarati', 5, 0x19, '0964 0965'],
    ['Hindi', 6, 0x19, '0964 0965'],
    ['Hindi', 6, 0x26, '0951 0952'],
    ['Hindi', 6, 0x2a, '0953 0954 0958 0959 095a'],
    ['Hindi', 6, 0x30, '095b 095c 095d 095e 095f 0960 0961 0962 0963 0970 0971'],
    ['Kannada', 7, 0x19, '0964 0965'],
    ['Kannada', 7, 0x26, '0cde 0cf1'],
    ['Kannada', 7, 0x2a, '0cf2'],
    ['Malayalam', 8, 0x19, '0964 0965'],
    ['Malayalam', 8, 0x26, '0d70 0d71'],
    ['Malayalam', 8, 0x2a, '0d72 0d73 0d74 0d75 0d7a'],
    ['Malayalam', 8, 0x30, '0d7b 0d7c 0d7d 0d7e 0d7f'],
    ['Oriya', 9, 0x19, '0964 0965'],
    ['Oriya', 9, 0x26, '0b5c 0b5d'],
    ['Oriya', 9, 0x2a, '0b5f 0b70 0b71'],
    ['Punjabi', 10, 0x19, '0964 0965'],
    ['Punjabi', 10, 0x26, '0a59 0a5a'],
    ['Punjabi', 10, 0x2a, '0a5b 0a5c 0a5e 0a75'],
    ['Tamil', 11, 0x19, '0964 0965'],
    ['Tamil', 11, 0x26, '0bf3 0bf4'],
    ['Tamil', 11, 0x2a, '0bf5 0bf6 0bf7 0bf8 0bfa'],
    ['Telugu', 12, 0x26, '0c58 0c59'],
    ['Telugu', 12, 0x2a, '0c78 0c79 0c7a 0c7b 0c7c'],
    ['Telugu', 12, 0x30, '0c7d 0c7e 0c7f'],
    ['Urdu', 13, 0x19, '0600 0601'],
    ['Urdu', 13, 0x26, '060c 060d'],
    ['Urdu', 13, 0x2a, '060e 060f 0610 0611 0612'],
    ['Urdu', 13, 0x30, '0613 0614 061b 061f 0640 0652 0658 066b 066c 0672 0673 06cd'],
    ['Urdu', 13, 0x3f, '06d4'],
  ])('the code points of the %s single shift table (%i) from septet %i on are %s', (_, id, first, expected) => {
    expect(run(singleOf(id), first, expected.split(' ').length)).toBe(expected)
  })
})
