import { integerOf, parseParameters } from '../wire/at-parameters.ts'
import { lastWith, type Query, type QueryAnswer } from './query.ts'

/** The rate of the serial port, or 0 if the modem detects the rate of the host. V.250 §6.2.10 */
const readBaudRate: Query<number> = {
  text: 'AT+IPR?',
  timeoutMs: 5_000,
  prefixes: ['+IPR'],
  read: (lines) => integerOf(parseParameters(lastWith(lines, '+IPR')?.body ?? '')[0]),
}

type Ask = <T>(query: Query<T>) => Promise<QueryAnswer<T>>

/**
 * Returns true if the modem detects the rate of the host. Such a modem sends no unsolicited codes after a restart until
 * it has received a command.
 */
export async function detectsBaudRate(ask: Ask): Promise<boolean> {
  const answer = await ask(readBaudRate)
  return answer.kind === 'value' && answer.value === 0
}

/**
 * Stores a fixed rate. It must be the rate that the host uses, because the modem changes its rate at once. Returns true
 * if the modem then reports this rate.
 */
export async function storeBaudRate(ask: Ask, rate: number): Promise<boolean> {
  for (const text of [`AT+IPR=${rate}`, 'AT&W']) {
    const answer = await ask({ text, timeoutMs: 5_000, read: () => true })
    if (answer.kind !== 'value') return false
  }
  const stored = await ask(readBaudRate)
  return stored.kind === 'value' && stored.value === rate
}
