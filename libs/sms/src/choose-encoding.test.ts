import { describe, expect, test } from 'vitest'
import { chooseEncoding } from './choose-encoding.ts'
import { PduEncodeError } from './pdu-error.ts'

const TURKISH = 1
const SPANISH = 2
const PORTUGUESE = 3
const HINDI = 6

/** To match an object with {} would match any tables. */
const noTables = expect.toSatisfy((shifts: object) => Object.keys(shifts).length === 0)

describe('without national tables', () => {
  test('every text that GSM-7 can write is written in GSM-7, with its extension', () => {
    const choice = chooseEncoding('price 5€ [£4 ¥3] {Ä¤Ñ}', {})
    expect(choice).toMatchObject({ encoding: 'gsm7', shifts: noTables, forcedUcs2By: [] })
    expect(choice.units.length).toBe('price 5€ [£4 ¥3] {Ä¤Ñ}'.length + '€[]{}'.length)
  })

  test('one character without septets forces UCS-2 and is named once', () => {
    expect(chooseEncoding('ş Ankara ş ✓', {})).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['ş', '✓'] })
  })

  test('a look-alike is never put in place of what was asked for', () => {
    expect(chooseEncoding('ç', {})).toMatchObject({ encoding: 'ucs2', text: 'ç' })
  })

  test('half a surrogate pair is reported as the U+FFFD that will be read', () => {
    expect(chooseEncoding('a\ud83d', {})).toMatchObject({ encoding: 'ucs2', text: 'a\ufffd' })
  })

  test('UCS-2 that was asked for is used, and nothing is blamed for it', () => {
    expect(chooseEncoding('plain', { encoding: 'ucs2' })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: [] })
  })

  test('GSM-7 that was asked for and is impossible is refused with the place, not with what stands there', () => {
    expect(() => chooseEncoding('a😀✓😀', { encoding: 'gsm7' })).toThrow(
      new PduEncodeError('TP-UD', 'has no septets for 2 of its characters, the first is character 2'),
    )
  })

  test('what PostgreSQL refuses is neither in the text nor in the blame', () => {
    const choice = chooseEncoding('a\ud800b\0c', {})
    expect(choice).toMatchObject({ encoding: 'ucs2', text: 'a\ufffdb\ufffdc', forcedUcs2By: ['\ufffd'] })
  })
})

describe('with national tables allowed', () => {
  test('plain GSM-7 stays plain as long as no part is saved', () => {
    expect(chooseEncoding('iyi günler', { nationalShifts: [TURKISH] })).toMatchObject({
      encoding: 'gsm7',
      shifts: noTables,
    })
  })

  test('of the tables that can write the text, those that take the fewest units are taken', () => {
    // The locking table gives ş a septet of its own, at the price of æ.
    expect(chooseEncoding('Ankara ş', { nationalShifts: [TURKISH] }).shifts).toEqual({ locking: TURKISH })
    expect(chooseEncoding('Ankara ş æ', { nationalShifts: [TURKISH] }).shifts).toEqual({ single: TURKISH })
  })

  test('the tables of two languages are combined where neither has all characters', () => {
    const choice = chooseEncoding(`ş${'Ãã'.repeat(40)}`, { nationalShifts: [TURKISH, PORTUGUESE] })
    expect(choice).toMatchObject({ encoding: 'gsm7', shifts: { locking: PORTUGUESE, single: TURKISH }, parts: 1 })
  })

  test('tables are taken for a text that plain GSM-7 can write, if and only if they save a part', () => {
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

  test('of two ways with as many parts the plain one is taken, though tables would take fewer units', () => {
    const text = '€'.repeat(70) + 'a'.repeat(100)
    expect(chooseEncoding(text, { nationalShifts: [PORTUGUESE] })).toMatchObject({ shifts: noTables, parts: 2 })
  })

  test('equal choices are settled by the order in which the languages were allowed', () => {
    // á is escaped in the tables of both, and è is in no other.
    expect(chooseEncoding('áè', { nationalShifts: [SPANISH, PORTUGUESE] }).shifts).toEqual({ single: SPANISH })
    expect(chooseEncoding('áè', { nationalShifts: [PORTUGUESE, SPANISH] }).shifts).toEqual({ single: PORTUGUESE })
  })

  test('only what no allowed table can write is blamed for UCS-2', () => {
    expect(chooseEncoding('ş✓', { nationalShifts: [TURKISH] })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['✓'] })
  })

  test('characters that are in some table each, but in no two together, are all blamed', () => {
    // Spanish has no locking table: one of the three languages is always left out.
    const choice = chooseEncoding('ş õ क', { nationalShifts: [TURKISH, PORTUGUESE, HINDI] })
    expect(choice.encoding).toBe('ucs2')
    expect(choice.forcedUcs2By).toEqual(['ş', 'õ', 'क'])
  })

  test('an identifier that no release has given to a language changes nothing', () => {
    expect(chooseEncoding('ş', { nationalShifts: [99] })).toMatchObject({ encoding: 'ucs2', forcedUcs2By: ['ş'] })
  })
})

describe('with transliteration', () => {
  test('typographic characters do not force UCS-2, and the text reports what will be read', () => {
    const choice = chooseEncoding('“It’s fine” – ok', { transliterate: true })
    expect(choice).toMatchObject({ encoding: 'gsm7', text: '"It\'s fine" - ok', forcedUcs2By: [] })
  })

  test('a text that needs UCS-2 anyway keeps every character', () => {
    const choice = chooseEncoding('“你好”', { transliterate: true })
    expect(choice).toMatchObject({ encoding: 'ucs2', text: '“你好”', forcedUcs2By: ['你', '好'] })
  })

  test('an allowed table that writes the text in as many parts is preferred to changing it', () => {
    const options = { transliterate: true, nationalShifts: [TURKISH] }
    expect(chooseEncoding('günaydın', options)).toMatchObject({ text: 'günaydın', shifts: { locking: TURKISH } })
  })

  test('with tables allowed only what they lack is replaced', () => {
    const options = { transliterate: true, nationalShifts: [TURKISH] }
    expect(chooseEncoding('“ış”', options)).toMatchObject({ text: '"ış"', shifts: { locking: TURKISH } })
  })

  test('the replacement may need a table that the text did not', () => {
    const options = { transliterate: true, nationalShifts: [HINDI] }
    expect(chooseEncoding('कz', options)).toMatchObject({ text: 'कz', shifts: { locking: HINDI } })
    expect(chooseEncoding('कŽ', options)).toMatchObject({ text: 'कZ', shifts: { locking: HINDI, single: HINDI } })
  })

  test('a character may become different ones in different tables', () => {
    const options = { transliterate: true, nationalShifts: [HINDI] }
    // Plain GSM-7 has É and Ü. The Hindi tables have neither, but E and U beside the letter.
    expect(chooseEncoding('कÉ', options)).toMatchObject({ encoding: 'gsm7', text: 'कE' })
    expect(chooseEncoding('कǗ', options)).toMatchObject({ encoding: 'gsm7', text: 'कU' })
  })

  test('an accent behind its letter is joined with it, and without transliteration left where it is', () => {
    expect(chooseEncoding('cafe\u0301', { transliterate: true })).toMatchObject({ encoding: 'gsm7', text: 'café' })
    expect(chooseEncoding('cafe\u0301', {})).toMatchObject({ encoding: 'ucs2', text: 'cafe\u0301' })
  })

  test('a text is not changed when that takes more parts than UCS-2', () => {
    expect(chooseEncoding('…'.repeat(70), { transliterate: true })).toMatchObject({ encoding: 'ucs2', parts: 1 })
  })

  test('GSM-7 that was asked for is reached by transliteration when that is allowed', () => {
    const options = { transliterate: true, encoding: 'gsm7' } as const
    expect(chooseEncoding('…'.repeat(70), options)).toMatchObject({ encoding: 'gsm7', parts: 2 })
    expect(() => chooseEncoding('…你', options)).toThrow(PduEncodeError)
  })
})
