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
    return triesOf(left('SIM PIN'), left('SIM PUK'))
  },
}

/** `^CPIN: SIM PIN,3,10,3,10,3`: state, tries left for it, then PUK, PIN, PUK2, PIN2. */
export const huaweiPinCounter = counter('AT^CPIN?', '^CPIN', 3, 2)
export const ztePinCounter = counter('AT+ZPINPUK=?', '+ZPINPUK', 0, 1)
export const simcomPinCounter = counter('AT+SPIC', '+SPIC', 0, 2)
export const ubloxPinCounter = counter('AT+UPINCNT', '+UPINCNT', 0, 2)
export const quectelSerialPinCounter = counter('AT+QTRPIN', '+QTRPIN', 0, 2)
export const intelPinCounter = counter('AT+XPINCNT', '+XPINCNT', 0, 2)
export const ericssonPinCounter = counter('AT*EPIN?', '*EPIN', 0, 1)
export const optionPinCounter = counter('AT_OERCN?', '_OERCN', 0, 1)
export const iceraPinCounter = counter('AT%PINNUM?', '%PINNUM', 0, 1)
export const alcatelPinCounter = counter('AT+PNNM?', '+PNNM', 0, 1)
/** Both count the code that is asked for at the moment, which is the PIN whenever we ask. */
export const telitPinCounter = counter('AT#PCT', '#PCT', 0)
export const cinterionPinCounter = counter('AT^SPIC', '^SPIC', 0)

/** `+QPINC: "SC",3,10` and a second line for `"P2"`. */
export const quectelPinCounter: Query<PinTries> = {
  text: 'AT+QPINC?',
  timeoutMs: 5000,
  prefixes: ['+QPINC'],
  read: (lines) => {
    const row = lines.map((line) => parseParameters(line.body)).find((parameters) => textOf(parameters[0]) === 'SC')
    return row && triesOf(integerOf(row[1]), integerOf(row[2]))
  },
}

/** `PIN1=3; PUK1=10; PIN2=3; PUK2=10`, without a prefix. */
export const speedupPinCounter: Query<PinTries> = {
  text: 'AT+CPNNUM',
  timeoutMs: 5000,
  bare: (line) => line.startsWith('PIN1='),
  read: (lines) => {
    const left = (code: string) => {
      const digits = new RegExp(`\\b${code}=(\\d{1,3})`).exec(lines.at(-1)?.text ?? '')?.[1]
      return digits === undefined ? undefined : Number(digits)
    }
    return triesOf(left('PIN1'), left('PUK1'))
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

function counter(text: string, prefix: string, pinAt: number, pukAt?: number): Query<PinTries> {
  return {
    text,
    timeoutMs: 5000,
    prefixes: [prefix],
    read: (lines: readonly ResponseLine[]) => {
      // GTM601 separates by blanks.
      const body = lastWith(lines, prefix)?.body ?? ''
      const parameters = parseParameters(body.includes(',') ? body : body.trim().replaceAll(/\s+/g, ','))
      return triesOf(integerOf(parameters[pinAt]), pukAt === undefined ? undefined : integerOf(parameters[pukAt]))
    },
  }
}

/** 255 and the like stand for "not known" in more than one firmware. */
function triesOf(pin: number | undefined, puk: number | undefined): PinTries | undefined {
  return pin === undefined || pin < 0 || pin > 10 ? undefined : { pin, puk }
}
