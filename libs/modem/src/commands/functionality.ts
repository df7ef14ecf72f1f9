import { integerOf, parseParameters } from '../wire/at-parameters.ts'
import { lastWith, type Query } from './query.ts'

/** 27.007 §8.2: 0 minimum, 1 full, 4 radio off. */
export const readFunctionality: Query<number> = {
  text: 'AT+CFUN?',
  timeoutMs: 10_000,
  prefixes: ['+CFUN'],
  read: (lines) => integerOf(parseParameters(lastWith(lines, '+CFUN')?.body ?? '')[0]),
}

/** Switching the radio on takes seconds, and some modems (Sierra) answer OK long before the radio is on. */
export function selectFunctionality(functionality: 0 | 1 | 4): Query<true> {
  return { text: `AT+CFUN=${functionality}`, timeoutMs: 30_000, prefixes: ['+CFUN', '+CPIN'], read: () => true }
}

/** Restarts the modem. It is normal that the modem answers, does not answer, or disconnects. */
export function resetCommand(text: string): Query<true> {
  return { text, timeoutMs: 30_000, read: () => true }
}
