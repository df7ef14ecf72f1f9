import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character of Unicode. `fc.string({ unit: anyCharacter })` gives the same strings as the unit `binary`, for which
 * fast-check first fills a map with a million entries.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates), indexOf)

/** The inverse, so that fast-check also uses its own texts such as `__proto__`. */
function indexOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== character || !character.isWellFormed())
    throw new Error('not one character')
  return code < firstSurrogate ? code : code - surrogates
}
