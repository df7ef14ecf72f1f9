import { integerOf, parseParameters, textOf } from '../at-parameters.ts'
import type { ResponseLine } from '../response-line.ts'
import { lastWith, type Query } from './query.ts'

/** How many tries are left before the SIM asks for the PUK, and how many for the PUK before the SIM is dead. */
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
      const row = lines.find((line) => textOf(parseParameters(line.body)[0]).toUpperCase() === code)
      return row && integerOf(parseParameters(row.body)[1])
    }
    return pinTries(left('SIM PIN'), left('SIM PUK'))
  },
}

/**
 * The card itself, whatever the vendor: VERIFY without a PIN takes no try and answers 63Cx, x tries left; 6983 when none
 * is (102.221 §11.1.9). Cards from before USIM do not know it.
 */
export const cardPinCounter: Query<PinTries> = {
  text: 'AT+CSIM=10,"0020000100"',
  timeoutMs: 10_000,
  prefixes: ['+CSIM'],
  read: (lines) => {
    const status = textOf(parseParameters(lines.at(-1)?.body ?? '')[1]).slice(-4)
    if (/^63C[0-9A-F]$/i.test(status)) return { pin: Number.parseInt(status.slice(3), 16), puk: undefined }
    return status === '6983' ? { pin: 0, puk: undefined } : undefined
  },
}

/** A vendor's command that tells the tries left for PIN and PUK at these places of its answer. */
export function pinCounter(text: string, prefix: string, pinAt: number, pukAt?: number): Query<PinTries> {
  return {
    text,
    timeoutMs: 5000,
    prefixes: [prefix],
    read: (lines: readonly ResponseLine[]) => {
      // GTM601 separates by blanks.
      const body = lastWith(lines, prefix)?.body ?? ''
      const parameters = parseParameters(body.includes(',') ? body : body.trim().replaceAll(/\s+/g, ','))
      return pinTries(integerOf(parameters[pinAt]), pukAt === undefined ? undefined : integerOf(parameters[pukAt]))
    },
  }
}

/** 255 and the like stand for "not known" in more than one firmware. */
export function pinTries(pin: number | undefined, puk: number | undefined): PinTries | undefined {
  return pin === undefined || pin < 0 || pin > 10 ? undefined : { pin, puk }
}
