import { bengali } from './national-tables/bengali.ts'
import { gujarati } from './national-tables/gujarati.ts'
import { hindi } from './national-tables/hindi.ts'
import { kannada } from './national-tables/kannada.ts'
import { malayalam } from './national-tables/malayalam.ts'
import { oriya } from './national-tables/oriya.ts'
import { portuguese } from './national-tables/portuguese.ts'
import { punjabi } from './national-tables/punjabi.ts'
import { spanish } from './national-tables/spanish.ts'
import { tamil } from './national-tables/tamil.ts'
import { telugu } from './national-tables/telugu.ts'
import { turkish } from './national-tables/turkish.ts'
import { urdu } from './national-tables/urdu.ts'
import type { NationalLanguageTables } from './septet-table.ts'

/** The identifier of a language with its own tables, as in the shift elements (23.038 §6.2.1.2.4). */
export type NationalLanguage = number

export const nationalLanguages: ReadonlyMap<NationalLanguage, NationalLanguageTables> = new Map([
  [1, turkish],
  [2, spanish],
  [3, portuguese],
  [4, bengali],
  [5, gujarati],
  [6, hindi],
  [7, kannada],
  [8, malayalam],
  [9, oriya],
  [10, punjabi],
  [11, tamil],
  [12, telugu],
  [13, urdu],
])

/** Returns false for Spanish, which has only a single shift table, and for reserved identifiers. */
export function hasLockingTable(language: NationalLanguage): boolean {
  return nationalLanguages.get(language)?.locking !== undefined
}

export function hasSingleTable(language: NationalLanguage): boolean {
  return nationalLanguages.has(language)
}
