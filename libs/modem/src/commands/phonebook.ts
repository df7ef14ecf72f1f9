import { integerOf, parseParameters, textOf, textsOf } from '../at-parameters.ts'
import { numberInCharacterSet, textInCharacterSet } from './character-set.ts'
import { type Answer, lastWith, type Query } from './query.ts'

/** SM the SIM, ME the modem, ON own numbers, LD dialled last, … 27.007 §8.11 */
function selectPhonebook(phonebook: string): Query<true> {
  return { text: `AT+CPBS="${phonebook}"`, timeoutMs: 10_000, prefixes: ['+CPBS'], read: () => true }
}

/** `+CPBR: (1-250),40,20`: the places there are. 27.007 §8.12 */
export const readPhonebookRange: Query<{ readonly first: number; readonly last: number }> = {
  text: 'AT+CPBR=?',
  timeoutMs: 10_000,
  prefixes: ['+CPBR'],
  read: (lines) => {
    const [places] = parseParameters(lastWith(lines, '+CPBR')?.body ?? '')
    const bounds = textsOf(places)
      .flatMap((text) => text.split('-'))
      .map(Number)
      .filter((bound) => Number.isInteger(bound) && bound >= 0)
    if (bounds.length === 0) return undefined
    return { first: Math.min(...bounds), last: Math.min(Math.max(...bounds), mostPlaces) }
  },
}

/** Empty places give no row; a range without any gives `+CME ERROR: not found` on some. */
export function readPhonebookEntries(first: number, last: number): Query<readonly PhonebookEntry[]> {
  return {
    text: `AT+CPBR=${first},${last}`,
    timeoutMs: 15_000,
    limitMs: 180_000,
    prefixes: ['+CPBR'],
    read: (lines) =>
      lines.flatMap((line) => {
        const [place, number, type, name] = parseParameters(line.body)
        const at = integerOf(place)
        if (at === undefined) return []
        const digits = numberInCharacterSet(textOf(number))
        const international = integerOf(type) === 145 && digits !== '' && !digits.startsWith('+')
        return [{ place: at, number: international ? `+${digits}` : digits, name: textInCharacterSet(textOf(name)) }]
      }),
  }
}

/** The whole of it, some places at a time, so that a large one does not keep the modem from messages for long. */
export async function readPhonebook(
  ask: <T>(query: Query<T>) => Promise<Answer<T>>,
  phonebook: string,
): Promise<readonly PhonebookEntry[] | 'not-readable'> {
  if ((await ask(selectPhonebook(phonebook))).kind !== 'value') return 'not-readable'
  const range = await ask(readPhonebookRange)
  if (range.kind !== 'value') return 'not-readable'
  const entries: PhonebookEntry[] = []
  for (let first = range.value.first; first <= range.value.last; first += placesAtATime) {
    const answer = await ask(readPhonebookEntries(first, Math.min(first + placesAtATime - 1, range.value.last)))
    if (answer.kind === 'value') entries.push(...answer.value)
    // CME 22, not found: none of these places is taken.
    else if (answer.kind !== 'refused') return 'not-readable'
  }
  return entries
}

const placesAtATime = 20
/** Beyond any phonebook of a SIM or a modem. */
const mostPlaces = 5000

export interface PhonebookEntry {
  readonly place: number
  readonly number: string
  readonly name: string
}
