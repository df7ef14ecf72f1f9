import { describe, expect, test } from 'vitest'
import { PduEncodeError } from '../pdu-error.ts'
import { chooseEncoding } from './choose-encoding.ts'

const TURKISH = 1
const SPANISH = 2
const PORTUGUESE = 3
const HINDI = 6

/** toMatchObject({}) would match any tables. */
const noTables = expect.toSatisfy((shifts: object) => Object.keys(shifts).length === 0)

describe('without national tables', () => {
  test('uses GSM-7 for every text that it can encode, including its extension', () => {
    const choice = chooseEncoding('price 5€ [£4 ¥3] {Ä¤Ñ}', {})
    expect(choice).toMatchObject({ encoding: 'gsm7', shifts: noTables, forcedUcs2By: [] })
    expect(choice.units.length).toBe('price 5€ [£4 ¥3] {Ä¤Ñ}'.length + '€[]{}'.length)
  })

  test('uses UCS-2 for a single character without septets and lists it once', () => {
    expect(chooseEncoding('ş Ankara ş ✓', {})).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['ş', '✓'] })
  })

  test('never replaces a character by a similar one', () => {
    expect(chooseEncoding('ç', {})).toMatchObject({ encoding: 'ucs2', text: 'ç' })
  })

  test('reports half a surrogate pair as U+FFFD', () => {
    expect(chooseEncoding('a\ud83d', {})).toMatchObject({ encoding: 'ucs2', text: 'a\ufffd' })
  })

  test('uses UCS-2 if requested, and then lists no characters', () => {
    expect(chooseEncoding('plain', { encoding: 'ucs2' })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: [] })
  })

  test('refuses GSM-7 for a text that it cannot encode, and reports the position but not the text', () => {
    expect(() => chooseEncoding('a😀✓😀', { encoding: 'gsm7' })).toThrow(
      new PduEncodeError(
        'TP-UD',
        'has 2 characters that GSM 7-bit encoding cannot represent; the first one is at position 2',
      ),
    )
  })

  test('replaces characters that PostgreSQL refuses in the text and in the listed characters', () => {
    const choice = chooseEncoding('a\ud800b\0c', {})
    expect(choice).toMatchObject({ encoding: 'ucs2', text: 'a\ufffdb\ufffdc', forcedUcs2By: ['\ufffd'] })
  })
})

describe('with national tables allowed', () => {
  test('uses plain GSM-7 unless tables save a part', () => {
    expect(chooseEncoding('iyi günler', { nationalShifts: [TURKISH] })).toMatchObject({
      encoding: 'gsm7',
      shifts: noTables,
    })
  })

  test('uses the tables with the fewest units', () => {
    // The locking table has ş in one septet, but not æ.
    expect(chooseEncoding('Ankara ş', { nationalShifts: [TURKISH] }).shifts).toEqual({ locking: TURKISH })
    expect(chooseEncoding('Ankara ş æ', { nationalShifts: [TURKISH] }).shifts).toEqual({ single: TURKISH })
  })

  test('combines the tables of two languages when neither has all characters', () => {
    const choice = chooseEncoding(`ş${'Ãã'.repeat(40)}`, { nationalShifts: [TURKISH, PORTUGUESE] })
    expect(choice).toMatchObject({ encoding: 'gsm7', shifts: { locking: PORTUGUESE, single: TURKISH }, parts: 1 })
  })

  test('uses tables for a text of plain GSM-7 if and only if they save a part', () => {
    const euros = '€'.repeat(81)
    expect(chooseEncoding(euros, {})).toMatchObject({ parts: 2 })
    expect(chooseEncoding(euros, { nationalShifts: [TURKISH] })).toMatchObject({
      shifts: { locking: TURKISH },
      parts: 1,
    })
    expect(chooseEncoding('€'.repeat(80), { nationalShifts: [TURKISH] })).toMatchObject({ shifts: noTables, parts: 1 })
    const twoEitherWay = 'a'.repeat(150) + '€'.repeat(10)
    expect(chooseEncoding(twoEitherWay, { nationalShifts: [TURKISH] })).toMatchObject({ shifts: noTables, parts: 2 })
  })

  test('prefers plain GSM-7 to tables with equally many parts and fewer units', () => {
    const text = '€'.repeat(70) + 'a'.repeat(100)
    expect(chooseEncoding(text, { nationalShifts: [PORTUGUESE] })).toMatchObject({ shifts: noTables, parts: 2 })
  })

  test('decides between equal choices by the order of the allowed languages', () => {
    // In the tables of both languages, á needs an escape. Only the default alphabet has è.
    expect(chooseEncoding('áè', { nationalShifts: [SPANISH, PORTUGUESE] }).shifts).toEqual({ single: SPANISH })
    expect(chooseEncoding('áè', { nationalShifts: [PORTUGUESE, SPANISH] }).shifts).toEqual({ single: PORTUGUESE })
  })

  test('lists only characters that are in none of the allowed tables', () => {
    expect(chooseEncoding('ş✓', { nationalShifts: [TURKISH] })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['✓'] })
  })

  test('lists all characters if each character is in a table, but no pair of tables has all characters', () => {
    // Spanish has no locking table, so a pair of tables always lacks one of the three languages.
    const choice = chooseEncoding('ş õ क', { nationalShifts: [TURKISH, PORTUGUESE, HINDI] })
    expect(choice.encoding).toBe('ucs2')
    expect(choice.forcedUcs2By).toEqual(['ş', 'õ', 'क'])
  })

  test('ignores a reserved language identifier', () => {
    expect(chooseEncoding('ş', { nationalShifts: [99] })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['ş'] })
  })
})

describe('with transliteration', () => {
  test('avoids UCS-2 for typographic characters and returns the text as it is read', () => {
    const choice = chooseEncoding('“It’s fine” – ok', { transliterate: true })
    expect(choice).toMatchObject({ encoding: 'gsm7', text: '"It\'s fine" - ok', forcedUcs2By: [] })
  })

  test('changes no character of a text that needs UCS-2 even with transliteration', () => {
    const choice = chooseEncoding('“你好”', { transliterate: true })
    expect(choice).toMatchObject({ encoding: 'ucs2', text: '“你好”', forcedUcs2By: ['你', '好'] })
  })

  test('prefers an allowed table with equally many parts to changing the text', () => {
    const options = { transliterate: true, nationalShifts: [TURKISH] }
    expect(chooseEncoding('günaydın', options)).toMatchObject({ text: 'günaydın', shifts: { locking: TURKISH } })
  })

  test('replaces only characters that the allowed tables lack', () => {
    const options = { transliterate: true, nationalShifts: [TURKISH] }
    expect(chooseEncoding('“ış”', options)).toMatchObject({ text: '"ış"', shifts: { locking: TURKISH } })
  })

  test('uses a table if a replacement needs the table', () => {
    const options = { transliterate: true, nationalShifts: [HINDI] }
    expect(chooseEncoding('कz', options)).toMatchObject({ text: 'कz', shifts: { locking: HINDI } })
    expect(chooseEncoding('कŽ', options)).toMatchObject({ text: 'कZ', shifts: { locking: HINDI, single: HINDI } })
  })

  test('may use different replacements in different tables', () => {
    const options = { transliterate: true, nationalShifts: [HINDI] }
    // Plain GSM-7 has É and Ü. The Hindi tables have neither É nor Ü, but they have E and U, and the letter क.
    expect(chooseEncoding('कÉ', options)).toMatchObject({ encoding: 'gsm7', text: 'कE' })
    expect(chooseEncoding('कǗ', options)).toMatchObject({ encoding: 'gsm7', text: 'कU' })
  })

  test('composes a letter and its accent only with transliteration', () => {
    expect(chooseEncoding('cafe\u0301', { transliterate: true })).toMatchObject({ encoding: 'gsm7', text: 'café' })
    expect(chooseEncoding('cafe\u0301', {})).toMatchObject({ encoding: 'ucs2', text: 'cafe\u0301' })
  })

  test('does not change a text if the changed text needs more parts than UCS-2', () => {
    expect(chooseEncoding('…'.repeat(70), { transliterate: true })).toMatchObject({ encoding: 'ucs2', parts: 1 })
  })

  test('uses transliteration for a requested GSM-7 if allowed', () => {
    const options = { transliterate: true, encoding: 'gsm7' } as const
    expect(chooseEncoding('…'.repeat(70), options)).toMatchObject({ encoding: 'gsm7', parts: 2 })
    expect(() => chooseEncoding('…你', options)).toThrow(PduEncodeError)
  })
})
