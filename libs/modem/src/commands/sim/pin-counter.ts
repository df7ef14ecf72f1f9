import { integerOf, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query } from '../query.ts'

/**
 * The number of attempts left. After the last attempt for the PIN, the SIM requires the PUK. After the last attempt for
 * the PUK, the SIM is blocked.
 */
export interface PinTries {
  readonly pin: number
  readonly puk: number | undefined
}

/** 27.007 §8.65: `+CPINR: SIM PIN,3,3`, one line for each code. */
export const standardPinCounter: Query<PinTries> = {
  text: 'AT+CPINR',
  timeoutMs: 5000,
  prefixes: ['+CPINR', '+CPINRE'],
  read: (lines) => {
    const left = (code: string) => {
      const row = lines.find((line) => parameterText(parseParameters(line.body)[0]).toUpperCase() === code)
      return row && integerOf(parseParameters(row.body)[1])
    }
    return pinTries(left('SIM PIN'), left('SIM PUK'))
  },
}

/**
 * Queries the card directly, which works with modems of any vendor. VERIFY without a PIN costs no attempt. The card
 * answers 63Cx if x attempts are left, or 6983 if none is left (102.221 §11.1.9). Cards older than USIM do not support
 * this query.
 */
export const cardPinCounter: Query<PinTries> = {
  text: 'AT+CSIM=10,"0020000100"',
  timeoutMs: 10_000,
  prefixes: ['+CSIM'],
  read: (lines) => {
    const status = parameterText(parseParameters(lines.at(-1)?.body ?? '')[1]).slice(-4)
    if (/^63C[0-9A-F]$/i.test(status)) return { pin: Number.parseInt(status.slice(3), 16), puk: undefined }
    return status === '6983' ? { pin: 0, puk: undefined } : undefined
  },
}

/**
 * Returns a query with a vendor's command, whose answer contains the attempts left for PIN and PUK at these positions.
 */
export function pinCounter(text: string, prefix: string, pinAt: number, pukAt?: number): Query<PinTries> {
  return {
    text,
    timeoutMs: 5000,
    prefixes: [prefix],
    read: (lines: readonly ResponseLine[]) => {
      // GTM601 separates the values with blanks.
      const body = lastWith(lines, prefix)?.body ?? ''
      const parameters = parseParameters(body.includes(',') ? body : body.trim().replaceAll(/\s+/g, ','))
      return pinTries(integerOf(parameters[pinAt]), pukAt === undefined ? undefined : integerOf(parameters[pukAt]))
    },
  }
}

/** Some firmware reports 255 or a similar number if it does not know the number of attempts. */
export function pinTries(pin: number | undefined, puk: number | undefined): PinTries | undefined {
  return pin === undefined || pin < 0 || pin > 10 ? undefined : { pin, puk }
}
