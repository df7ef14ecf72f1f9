import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../testing/any-character.ts'
import { type Gsm7Shifts, septetsFromText, septetsOfCharacter } from './gsm7-alphabet.ts'
import { TransliterableText } from './transliteration.ts'
import { fractions, replacements } from './transliteration-table.ts'

const inGsm7 =
  (shifts?: Gsm7Shifts) =>
  (char: string): boolean =>
    septetsOfCharacter(char, shifts) !== undefined
const transliterate = (text: string, keep: (char: string) => boolean) => new TransliterableText(text).bestEffort(keep)
const toGsm7 = (text: string, shifts?: Gsm7Shifts): string => transliterate(text, inGsm7(shifts)).text

describe('transliteration to GSM 7 bit', () => {
  it.each([
    ['typographic quotes', '“Hi”, it’s „hier“ «là» ‹x›', '"Hi", it\'s "hier" "là" \'x\''],
    ['dashes and the minus', 'a‐b‑c–d—e −5', 'a-b-c-d-e -5'],
    ['ellipsis and bullet', '• wait…', '* wait...'],
    ['blanks of other widths', 'a\u00a0b\u2009c\u202fd\te', 'a b c d e'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a\nb\nc'],
    ['invisible characters', '\ufeffze\u200bro\u00ad width\u2060', 'zero width'],
    ['invisible characters beside the euro sign', '€\u200ba\u200b€', '€a€'],
    ['marks of direction around a number', '\u202a+44 20\u202c', '+44 20'],
    ['Polish', 'Zażółć gęślą jaźń, Łódź', 'Zazolc gesla jazn, Lodz'],
    ['Czech and Slovak', 'Příliš žluťoučký kůň, ďábel', 'Prilis zlutoucky kun, dabel'],
    ['Turkish', 'İstanbul’da ığdır şıkça ğ', "Istanbul'da igdir sikca g"],
    ['Romanian, comma and cedilla', 'șțşţ ăâî', 'stst aai'],
    ['Baltic', 'ģķļņ ąęėįšųūž', 'gkln aeeisuuz'],
    ['Hungarian', 'őű ŐŰ', 'öü ÖÜ'],
    ['Croatian', 'Đakovo, džep, đak', 'Dakovo, dzep, dak'],
    ['Vietnamese', 'Việt Nam, đồng, Nguyễn', 'Viet Nam, dong, Nguyen'],
    ['Portuguese', 'não, coração, à', 'nao, coracao, à'],
    ['Welsh and Catalan', 'ŵŷ, col·legi, paraŀlel', 'wy, col.legi, paral.lel'],
    ['an accent written as a character of its own', 'cafe\u0301 a\u0302', 'café a'],
    ['a letter that keeps one of its two accents', 'lǜ', 'lü'],
    ['ligatures', 'œuvre, ﬁn, Ĳ, ǆ', 'oeuvre, fin, IJ, dz'],
    ['full-width forms', 'Ａｂｃ　１２', 'Abc 12'],
    ['letters in mathematical dress', '𝐇𝐞𝐥𝐥𝐨', 'Hello'],
    ['Greek capitals', 'ΑΘΗΝΑ', 'AΘHNA'],
    ['Greek words, in capitals without accents', 'Καλημέρα, ο ήλιος', 'KAΛHMEPA, O HΛIOΣ'],
    ['currencies', '₹500, 5¢, 20₽', 'INR500, 5c, 20RUB'],
    ['exponents, so that they stay exponents', '5 m², 10³', '5 m^2, 10^3'],
    ['fractions, apart from the figure in front', '1½ ½ a¼', '1 1/2 1/2 a1/4'],
    ['signs', '20°C ±1 × ≤ → № ™️', '20degC +/-1 x <= -> No TM'],
  ])('writes %s', (_, text, written) => {
    expect(toGsm7(text)).toBe(written)
    expect(septetsFromText(written)).toBeDefined()
  })

  it.each([
    ['what GSM has: ß, æ, ø, å, ñ, è, €', 'ß æ ø å ñ è € Ç Ω'],
    ['Cyrillic', 'привет А'],
    ['Chinese', '你好'],
    ['Arabic, its joiners with it', 'می\u200cخواهم'],
    ['emoji, joined and coloured', '👨‍👩‍👧 👍🏽 ❤️ 1️⃣ #️⃣'],
    ['a lone Greek letter and a unit, which are symbols', 'μ α = 5 μg β-carotene'],
    ['half a surrogate pair', 'a\ud83d b'],
    ['a mark without a letter', '\u0301\u0323 \u20e3'],
    ['Devanagari with a nukta, composed or not', '\u0958 \u0915\u093c'],
  ])('leaves %s', (_, text) => {
    expect(toGsm7(text)).toBe(text)
  })

  it('does not change a text that the alphabet can encode', () => {
    expect(transliterate('“', () => true)).toEqual({ text: '“', replaced: new Map() })
  })

  it('keeps the characters of the tables in use', () => {
    expect(toGsm7('ığş “ç”', { locking: 1 })).toBe('ığş "ç"')
    expect(toGsm7('æßöő', { locking: 3 })).toBe('aessoo')
    expect(toGsm7('\u0958“', { single: 6 })).toBe('\u0958"')
  })

  it('does not change a Greek word with a letter that has no replacement', () => {
    expect(toGsm7('Καλημέρα', { locking: 3 })).toBe('Καλημέρα'.replace('Κ', 'K'))
    expect(toGsm7('μέρα', { locking: 3 })).toBe('MEPA')
  })

  it('lists each replaced text with its replacement', () => {
    const { replaced } = transliterate('“ő” ő привет \u200b', inGsm7())
    expect([...replaced]).toEqual([
      ['“', '"'],
      ['ő', 'ö'],
      ['”', '"'],
      ['\u200b', ''],
    ])
  })

  it('uses only kept characters as replacements', () => {
    expect(transliterate('“é…ﬁ', (char) => char === 'f' || char === '.').text).toBe('“é...ﬁ')
    expect(transliterate([...replacements.keys(), ...fractions.keys()].join(''), () => false).replaced.size).toBe(0)
  })

  it('returns only kept characters and characters without a rule, and does not change a text that the alphabet can encode', () => {
    const known = fc.constantFrom(...replacements.keys(), ...fractions.keys(), '\u0301', '\ufe0f', 'α', 'η', 'a', '1')
    const unit = fc.oneof(known, anyCharacter)
    const isKept = inGsm7()
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const text = units.join('')
        const written = toGsm7(text)
        expect([...written].filter((char) => !isKept(char) && !text.includes(char))).toEqual([])
        expect(written === text || septetsFromText(text) === undefined).toBe(true)
      }),
    )
  })

  it('terminates for every code point in each alphabet', () => {
    for (const keep of [() => false, inGsm7(), inGsm7({ locking: 3, single: 1 })]) {
      for (let code = 0; code < 0x20000; code++) {
        const char = String.fromCodePoint(code)
        const { text, replaced } = transliterate(char, keep)
        if (replaced.size > 0 !== (text !== char)) throw new Error(`U+${code.toString(16)} became ${text}`)
      }
    }
  })

  // With quadratic time, this test would take minutes. For some texts, a bad implementation could need twice the time
  // for each further mark. A few marks are enough to detect this.
  it.each([
    ['marks', 'a\u0301\u0323', 50_000],
    ['marks of Greek', 'α\u0301\u0323', 50_000],
    ['marks that are Greek themselves', '\u{1d242}', 27],
    ['marks without a letter', '\u0301\u0323', 50_000],
    ['fractions', '½', 50_000],
    ['invisible characters', '\u200b', 50_000],
    ['invisible characters of Latin', '\u00ad\u200b', 50_000],
    ['words in quotes', '“a”', 50_000],
    ['Greek letters', 'μ', 50_000],
    ['half surrogate pairs', '\ud800', 50_000],
  ])('finishes in time for a long run of %s', (_, heap, times) => {
    expect(toGsm7(`${heap.repeat(times)}я`)).toMatch(/я$/u)
    expect(toGsm7(`a${heap.repeat(times)}я`)).toMatch(/^a.*я$/u)
  })

  it('returns only characters that are possible for the text', () => {
    const known = fc.constantFrom(...replacements.keys(), ...fractions.keys(), 'ǘ', 'ΐ', 'ẵ', 'É', 'ﬃ', '\u0958', '𝐀')
    const marks = fc.constantFrom('\u0301', '\u0308', '\u0323', '\ufe0f', '\u0342')
    const letters = fc.constantFrom('a', 'u', 'α', 'η', 'Ω', '1', ' ')
    const unit = fc.oneof(known, marks, letters, anyCharacter)
    // Keeps any subset of the characters, like a table that lacks some of them.
    const kept = fc.func(fc.boolean()) as fc.Arbitrary<(char: string) => boolean>
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), kept, (units, keep) => {
        const text = units.join('')
        const reach = new TransliterableText(text).possibleCharacters()
        expect([...transliterate(text, keep).text].filter((char) => !reach.has(char))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a text transliterated to several alphabets', () => {
  const stopped = `${'é“…'.repeat(1000)}я${'ü”'.repeat(1000)}`

  /** Returns the number of characters that were looked up in the alphabet. */
  function asked(text: TransliterableText, shifts?: Gsm7Shifts): number {
    let count = 0
    const written = text.complete((char) => {
      count += 1
      return inGsm7(shifts)(char)
    })
    expect(written).toBeUndefined()
    return count
  }

  it('a text transliterated to several alphabets stops at the first character without a replacement', () => {
    expect(asked(new TransliterableText(`я${stopped}`))).toBeLessThan(5)
    const text = new TransliterableText(stopped)
    expect(asked(text)).toBeLessThan(20)
  })

  it('a text transliterated to several alphabets stops at once if the alphabet lacks a character that an earlier alphabet lacked', () => {
    const text = new TransliterableText(stopped)
    asked(text)
    for (const single of [1, 2, 3, 4]) expect(asked(text, { single })).toBeLessThan(5)
  })

  it('a text transliterated to several alphabets is complete in an alphabet that contains the character that the other alphabets lack', () => {
    const text = new TransliterableText('“я”')
    expect(text.complete(inGsm7())).toBeUndefined()
    expect(text.complete((char) => char === 'я' || inGsm7()(char))?.text).toBe('"я"')
  })

  it.each([
    ['invisible characters', 'a\u200bb\ufe0f', 'ab'],
    ['a Greek word that one alphabet can only write in capitals', 'μέρα', 'MEPA'],
  ])('a text transliterated to several alphabets is complete despite %s', (_, given, written) => {
    const text = new TransliterableText(given)
    expect(text.complete(() => false)).toBeUndefined()
    expect(text.complete(inGsm7({ locking: 3 }))?.text).toBe(written)
  })

  it('a text transliterated to several alphabets does not depend on the order of the alphabets', () => {
    const unit = fc.oneof(
      fc.constantFrom(...replacements.keys(), ...fractions.keys(), 'α', 'μέρα', '\u200b', '\ufe0f', '\u0301', '1', ' '),
      anyCharacter,
    )
    const kept = fc.func(fc.boolean()) as fc.Arbitrary<(char: string) => boolean>
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), fc.array(kept, { maxLength: 4 }), (units, alphabets) => {
        const text = new TransliterableText(units.join(''))
        for (const keep of alphabets) {
          const alone = transliterate(units.join(''), keep)
          const isWhole = [...alone.text].every((char) => keep(char))
          expect([alone, ...(isWhole ? [] : [undefined])]).toContainEqual(text.complete(keep))
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the table of replacements', () => {
  it('the table of replacements has one rule for a character', () => {
    const withoutRule = [...replacements.keys()].filter((char) => [...char].length !== 1)
    expect(withoutRule).toEqual([])
    expect([...fractions.keys()].filter((char) => replacements.has(char))).toEqual([])
  })

  it('the table of replacements has no rule for characters of GSM 7 bit, except for letters that national alphabets lack', () => {
    expect([...replacements.keys()].filter((char) => inGsm7()(char)).sort()).toEqual(['ß', 'Æ', 'Ø', 'æ', 'ø'].sort())
  })

  it('the table of replacements leads from every character to GSM 7 bit', () => {
    const stuck = [...replacements.keys(), ...fractions.keys()].filter(
      (char) => septetsFromText(toGsm7(char)) === undefined,
    )
    expect(stuck).toEqual([])
  })
})
