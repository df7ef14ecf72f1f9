import type { ResponseLine } from './response-line.ts'

/** A harmless question whose answer no other command gives. */
export interface Marker {
  readonly command: string
  readonly prefix: string
  readonly answers: (body: string) => boolean
}

const isGroup = (body: string): boolean => body.startsWith('(')

/**
 * Questions that any modem answers, with or without SIM and network, none of which is an unsolicited code as well.
 * Nobody knows a firmware that has none of the first two.
 */
export const markers: readonly Marker[] = [
  { command: 'AT+CMEE?', prefix: '+CMEE', answers: (body) => /^\d/.test(body) },
  { command: 'AT+CSCS?', prefix: '+CSCS', answers: (body) => body !== '' && !isGroup(body) },
  { command: 'AT+CMEE=?', prefix: '+CMEE', answers: isGroup },
  { command: 'AT+GCAP', prefix: '+GCAP', answers: (body) => body !== '' },
  { command: 'AT+CPAS', prefix: '+CPAS', answers: (body) => /^\d/.test(body) },
]

export function isAnswerTo(marker: Marker, line: ResponseLine): boolean {
  return line.prefix === marker.prefix && marker.answers(line.body)
}

/** Keeps in mind that the answers may still come. */
export function rememberUnanswered(unanswered: Marker[], ...asked: readonly Marker[]): void {
  unanswered.push(...asked)
  if (unanswered.length > mostUnanswered) unanswered.splice(0, unanswered.length - mostUnanswered)
}

// More than a modem keeps in its buffers: the oldest can come no more.
const mostUnanswered = 200

/**
 * Which questions to ask, one after the other, so that the answers prove both ends in step.
 *
 * A modem works through what it was sent in order, late or not at all. So the answers that come are those of
 * `unanswered`, some left out, followed by those of the questions asked from here on. The word u·t is chosen so that
 * `unanswered` does not hold its letters in this order and u does not hold t. When its answers have been seen in order,
 * the last of them cannot be an old one, hence is that of the very last question; and whatever was sent before it has
 * been answered, or never will be.
 *
 * The shortest such word is chosen: one question, unless some went unanswered before. Undefined when there is none,
 * which takes an alphabet of a single letter that was asked already.
 */
export function provingWord<Letter>(
  unanswered: readonly Letter[],
  alphabet: readonly Letter[],
): readonly Letter[] | undefined {
  let best: readonly Letter[] | undefined
  for (const last of alphabet) {
    const before = unanswered.slice(0, unanswered.lastIndexOf(last) + 1)
    const others = alphabet.filter((letter) => letter !== last)
    if (before.length > 0 && others.length === 0) continue
    const word = before.length === 0 ? [last] : [...absentWord(before, others), last]
    if (best === undefined || word.length < best.length) best = word
  }
  return best
}

/** The shortest word over the alphabet whose letters the sequence does not hold in this order. */
function absentWord<Letter>(sequence: readonly Letter[], alphabet: readonly Letter[]): Letter[] {
  const word: Letter[] = []
  let missing = new Set(alphabet)
  for (const letter of sequence) {
    // Each time all letters have been seen, the one seen last is the one found latest from there on.
    if (missing.delete(letter) && missing.size === 0) {
      word.push(letter)
      missing = new Set(alphabet)
    }
  }
  const [never] = missing
  if (never !== undefined) word.push(never)
  return word
}
