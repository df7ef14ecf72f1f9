import type { ResponseLine } from '../wire/response-line.ts'

/** A harmless query. No other command produces the same answer. */
export interface Marker {
  readonly command: string
  readonly prefix: string
  readonly answers: (body: string) => boolean
}

const isGroup = (body: string): boolean => body.startsWith('(')

/**
 * Queries that a modem answers even without a SIM or network. No answer can be mistaken for an unsolicited result code.
 * Nearly all firmware supports the first or the second query. Every usable modem supports at least one of the last two
 * queries, because sending and receiving require their commands.
 */
export const markers: readonly Marker[] = [
  { command: 'AT+CMEE?', prefix: '+CMEE', answers: (body) => /^\d/.test(body) },
  { command: 'AT+CSCS?', prefix: '+CSCS', answers: (body) => body !== '' && !isGroup(body) },
  { command: 'AT+CMEE=?', prefix: '+CMEE', answers: isGroup },
  { command: 'AT+GCAP', prefix: '+GCAP', answers: (body) => body !== '' },
  { command: 'AT+CPAS', prefix: '+CPAS', answers: (body) => /^\d/.test(body) },
  { command: 'AT+CMGF?', prefix: '+CMGF', answers: (body) => /^\d/.test(body) },
  { command: 'AT+CNMI?', prefix: '+CNMI', answers: (body) => /^\d/.test(body) },
]

export function isAnswerTo(marker: Marker, line: ResponseLine): boolean {
  return line.prefix === marker.prefix && marker.answers(line.body)
}

/** Remembers these questions, because their answers may still arrive. */
export function rememberUnanswered(unanswered: Marker[], ...asked: readonly Marker[]): void {
  unanswered.push(...asked)
  if (unanswered.length > mostUnanswered) unanswered.splice(0, unanswered.length - mostUnanswered)
}

// A modem buffers fewer answers than this, so older answers can no longer arrive.
const mostUnanswered = 200

/**
 * Chooses the questions whose answers prove that both ends are in step. Below, a letter is a question, and a word is a
 * sequence of questions.
 *
 * A modem processes its input in order, but may be late and may miss input. So the answers to the questions in
 * `unanswered` arrive first, perhaps not all of them, and then the answers to the new questions. The chosen word is u
 * followed by a last letter t. It has two properties: the word is not a subsequence of `unanswered`, and t does not
 * occur in u. When the answers to the word have arrived in order, the last of these answers cannot be an old answer, so
 * it belongs to the last question. All earlier commands have been answered by then, or will never be answered.
 *
 * The shortest such word is chosen: one question, unless earlier questions are unanswered. Returns undefined if no such
 * word exists, which happens only if the alphabet is a single letter that is in `unanswered`.
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

/** Returns the shortest word over the alphabet that is not a subsequence of the sequence. */
function absentWord<Letter>(sequence: readonly Letter[], alphabet: readonly Letter[]): Letter[] {
  const word: Letter[] = []
  let missing = new Set(alphabet)
  for (const letter of sequence) {
    // When every letter has occurred, the letter that occurred last becomes the next letter of the word, and the search
    // starts again.
    if (missing.delete(letter) && missing.size === 0) {
      word.push(letter)
      missing = new Set(alphabet)
    }
  }
  const [never] = missing
  if (never !== undefined) word.push(never)
  return word
}
