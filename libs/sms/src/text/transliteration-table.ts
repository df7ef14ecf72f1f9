/**
 * Replacements for characters that an alphabet does not have: `[replacement, the characters it replaces]`. Each
 * replacement has the same meaning to a reader. Some characters need a separate form after a digit: `½` cannot become
 * `1/2`, and `²` cannot become `2`. A replacement may itself need a rule (`ő` → `ö` → `o`). Accented letters need no
 * rule, because they lose their marks one by one.
 */
const rules: readonly (readonly [replacement: string, characters: string])[] = [
  // Quotation marks, apostrophes, primes
  ["'", '‘’‚‛‹›′ʹʻʼˈ´`＇'],
  ['"', '“”„‟«»″ʺˮ〝〞〟'],
  ["'''", '‴'],
  // Hyphens, dashes, minus
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63'],
  // Points and bullets; `l·l` becomes `l.l`
  ['...', '…⋯'],
  ['..', '‥'],
  ['.', '․·⋅∙'],
  ['l.', 'ŀ'],
  ['L.', 'Ŀ'],
  ['*', '•‣◦▪●∗'],
  // Spaces of other widths, non-breaking spaces, line ends
  [' ', '\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
  ['\n', '\u000b\u0085\u2028\u2029'],
  // Latin letters that do not consist of a letter and an accent
  ['ae', 'æ'],
  ['AE', 'Æ'],
  ['oe', 'œ'],
  ['OE', 'Œ'],
  ['ss', 'ß'],
  ['SS', 'ẞ'],
  ['o', 'ø'],
  ['O', 'Ø'],
  ['d', 'đðɗ'],
  ['D', 'ĐÐƊ'],
  ['th', 'þ'],
  ['Th', 'Þ'],
  ['l', 'ł'],
  ['L', 'Ł'],
  ['h', 'ħ'],
  ['H', 'Ħ'],
  ['t', 'ŧ'],
  ['T', 'Ŧ'],
  ['b', 'ɓ'],
  ['B', 'Ɓ'],
  ['k', 'ĸƙ'],
  ['K', 'Ƙ'],
  ['y', 'ƴ'],
  ['Y', 'Ƴ'],
  ['i', 'ı'],
  ['j', 'ȷ'],
  ['e', 'ə'],
  ['E', 'Ə'],
  ['ng', 'ŋ'],
  ['NG', 'Ŋ'],
  ["'n", 'ŉ'],
  // Hungarian long vowels, which become short vowels
  ['ö', 'ő'],
  ['Ö', 'Ő'],
  ['ü', 'ű'],
  ['Ü', 'Ű'],
  // Greek capitals that look like Latin capitals. The GSM alphabet contains the other ten Greek capitals.
  ['A', 'Α'],
  ['B', 'Β'],
  ['E', 'Ε'],
  ['Z', 'Ζ'],
  ['H', 'Η'],
  ['I', 'Ι'],
  ['K', 'Κ'],
  ['M', 'Μ'],
  ['N', 'Ν'],
  ['O', 'Ο'],
  ['P', 'Ρ'],
  ['T', 'Τ'],
  ['Y', 'Υ'],
  ['X', 'Χ'],
  // Symbols
  ['Δ', '∆'],
  ['Σ', '∑'],
  ['Π', '∏'],
  ['u', 'µ'],
  ['a', 'ª'],
  ['o', 'º'],
  ['^1', '¹'],
  ['^2', '²'],
  ['^3', '³'],
  ['x', '×'],
  ['/', '÷∕⁄'],
  ['+/-', '±'],
  ['<=', '≤'],
  ['>=', '≥'],
  ['=/=', '≠'],
  ['~', '≈∼˜'],
  ['^', 'ˆ'],
  ['|', '¦∣'],
  [':', '∶'],
  ['->', '→'],
  ['<-', '←'],
  ['<->', '↔'],
  ['=>', '⇒'],
  ['deg', '°'],
  ['degC', '℃'],
  ['degF', '℉'],
  ['(C)', '©'],
  ['(R)', '®'],
  ['TM', '™'],
  ['No', '№'],
  // Currencies, as their ISO 4217 code
  ['c', '¢￠'],
  ['£', '₤￡'],
  ['¥', '￥'],
  ['INR', '₹'],
  ['Rs', '₨'],
  ['RUB', '₽'],
  ['UAH', '₴'],
  ['TRY', '₺'],
  ['KZT', '₸'],
  ['GEL', '₾'],
  ['AZN', '₼'],
  ['ILS', '₪'],
  ['NGN', '₦'],
  ['GHS', '₵'],
  ['KRW', '₩￦'],
  ['VND', '₫'],
  ['PHP', '₱'],
  ['THB', '฿'],
  ['CRC', '₡'],
  ['PYG', '₲'],
  ['BTC', '₿'],
]

export const replacements: ReadonlyMap<string, string> = new Map(
  rules.flatMap(([replacement, characters]) => Array.from(characters, (char) => [char, replacement] as const)),
)

/** Fractions are separate, because they need a space after a digit. Otherwise `1½` would become eleven halves. */
export const fractions: ReadonlyMap<string, string> = new Map([
  ['¼', '1/4'],
  ['½', '1/2'],
  ['¾', '3/4'],
  ['⅓', '1/3'],
  ['⅔', '2/3'],
  ['⅕', '1/5'],
  ['⅛', '1/8'],
  ['⅜', '3/8'],
  ['⅝', '5/8'],
  ['⅞', '7/8'],
])

/**
 * Characters that differ from plain characters only in style, so that compatibility normalisation (NFKC) keeps their
 * meaning: digraphs (IJ, DŽ to nj, DZ), Roman numerals, Latin ligatures, full-width forms, mathematical alphabets.
 */
export const styledCharacter =
  /[\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\u2160-\u217f\ufb00-\ufb06\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u

const invisibleCharacters = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff\\ufe0e\\ufe0f'
const simpleScripts = '[\\0-\\u03ff\\u20ac]'

/** Invisible characters: soft hyphen, joiners, marks of direction, byte order mark, variation selectors. */
export const invisible = new RegExp(`^[${invisibleCharacters}]$`, 'u')

/**
 * Matches invisible characters between characters below U+0400, whose scripts neither join nor change direction. In
 * other scripts, invisible characters change how the text is displayed.
 */
export const invisibleRun = new RegExp(`(?<=^|${simpleScripts})[${invisibleCharacters}]+(?=$|${simpleScripts})`, 'gu')
