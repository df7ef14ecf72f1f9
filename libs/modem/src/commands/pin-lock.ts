import { integerOf, parseParameters } from '../at-parameters.ts'
import { lastWith, type Query } from './query.ts'

/** Whether the SIM wants a PIN at all. 27.007 §7.4 */
export const readPinLock: Query<'enabled' | 'disabled'> = {
  text: 'AT+CLCK="SC",2',
  timeoutMs: 15_000,
  prefixes: ['+CLCK'],
  read: (lines) => {
    const status = integerOf(parseParameters(lastWith(lines, '+CLCK')?.body ?? '')[0])
    return status === undefined ? undefined : status === 0 ? 'disabled' : 'enabled'
  },
}
