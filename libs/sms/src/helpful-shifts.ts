import { type Gsm7Shifts, septetCounter } from './gsm7-alphabet.ts'
import { hasLockingTable, hasSingleTable, type NationalLanguage } from './national-language.ts'

/**
 * The ways to use the languages: one table or both, mixed too, for each is named by an element of its own. Only those
 * that write some character in fewer septets than without the table: the many others would only cost its element.
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
    // A locking table that helps alone helps beside any other: it writes in one septet what is not in the alphabet.
    ...helpfulLocking.flatMap((one) => {
      const isWritten = isWritableIn(one)
      const lacking = characters.filter((char) => !isWritten(char))
      return single.map((other) => ({ ...one, ...other })).filter((both) => lacking.some(isWritableIn(both)))
    }),
  ]
}

/** Whether plain GSM-7 or a table of one of the languages has the character. */
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
