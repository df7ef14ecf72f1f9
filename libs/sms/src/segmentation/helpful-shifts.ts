import { type Gsm7Shifts, septetCounter } from '../text/gsm7-alphabet.ts'
import { hasLockingTable, hasSingleTable, type NationalLanguage } from '../text/national-language.ts'

/**
 * Returns the combinations of a locking and a single shift table, of the same or of different languages, that encode at
 * least one character in fewer septets. Other combinations would only add the octets of their shift elements.
 */
export function helpfulShifts(text: Iterable<string>, languages: readonly NationalLanguage[]): Gsm7Shifts[] {
  if (languages.length === 0) return []
  const inPlain = septetCounter({})
  const characters = [...new Set(text)].filter(writableInOneTable(languages))
  const helps = (tables: Gsm7Shifts) => {
    const inTables = septetCounter(tables)
    return characters.some((char) => inTables(char) < inPlain(char))
  }

  const single = languages.filter(hasSingleTable).map((language) => ({ single: language }))
  const locking = languages.filter(hasLockingTable).map((language) => ({ locking: language }))
  const helpfulLocking = locking.filter(helps)
  return [
    ...single.filter(helps),
    ...helpfulLocking,
    // A locking table that helps alone also helps together with any single shift table, because it encodes a character
    // in one septet.
    ...helpfulLocking.flatMap((one) => {
      const isWritten = isWritableIn(one)
      const lacking = characters.filter((char) => !isWritten(char))
      return single.map((other) => ({ ...one, ...other })).filter((both) => lacking.some(isWritableIn(both)))
    }),
  ]
}

/** Returns a function that returns true if plain GSM-7 or a table of one of the languages has a character. */
export function writableInOneTable(languages: readonly NationalLanguage[]): (char: string) => boolean {
  const tables = [
    {},
    ...languages.map((language) => ({ single: language })),
    ...languages.filter(hasLockingTable).map((language) => ({ locking: language })),
  ].map(isWritableIn)
  return (char) => tables.some((isWritten) => isWritten(char))
}

export function isWritableIn(tables: Gsm7Shifts): (char: string) => boolean {
  const inTables = septetCounter(tables)
  return (char) => inTables(char) < Number.POSITIVE_INFINITY
}
