import { parameterText, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { numberInCharacterSet, textInCharacterSet } from '../character-set.ts'
import { firstIn, type Query } from '../query.ts'

/** The subscription on the SIM (IMSI). 27.007 §5.6 */
export const readImsi: Query<string> = {
  text: 'AT+CIMI',
  timeoutMs: 10_000,
  prefixes: ['+CIMI'],
  bare: (line) => imsiIn(line) !== undefined,
  read: (lines) => firstIn(lines, (line) => imsiIn(line.body)),
}

/**
 * The card's own number (ICCID). No standard command reads the ICCID, so each profile contains the command for its
 * modems.
 */
export function iccidQuery(command: string): Query<string> {
  return {
    text: command,
    timeoutMs: 10_000,
    prefixes: ['+CCID', '+QCCID', '+ICCID', '^ICCID', '%CCID', '#CCID', '^SCID', '!ICCID', '$QCCID', '+CRSM'],
    bare: (line) => iccidIn(line) !== undefined,
    read: (lines) => firstIn(lines, (line) => iccidIn(line.body)),
  }
}

/** The phone numbers stored on the SIM. Many SIMs store no number or an outdated number. 27.007 §7.1 */
export const readOwnNumbers: Query<readonly OwnNumber[]> = {
  text: 'AT+CNUM',
  timeoutMs: 10_000,
  prefixes: ['+CNUM'],
  read: (lines) => lines.flatMap((line) => ownNumberIn(line) ?? []),
}

export interface OwnNumber {
  /** The number begins with `+` if the type of address is international. */
  readonly number: string
  readonly name: string
}

/**
 * 18 to 20 digits that begin with 89 (telecom, E.118), padded with F; some firmware swaps the digits of each pair, as
 * the SIM stores them.
 */
export function iccidIn(text: string): string | undefined {
  const found = /(?:^|[\s":,])(\d{17,20}F{0,2}\d?)(?:$|[\s",])/i.exec(text)?.[1]
  if (found === undefined) return undefined
  const digits = (found.startsWith('98') ? found.replace(/(.)(.)/g, '$2$1') : found).replace(/F+$/i, '')
  return /^89\d{16,18}$/.test(digits) ? digits : undefined
}

function imsiIn(text: string): string | undefined {
  return /^\D{0,2}(\d{6,15})\D?$/.exec(text)?.[1]
}

/** `"Line 1","+15551234567",145`, `,"5551234567",129`, `Line 1,15551234567,161`, and rows with only a number. */
function ownNumberIn(line: ResponseLine): OwnNumber | undefined {
  const [alpha, second, type] = parseParameters(line.body)
  const number = numberInCharacterSet(parameterText(second)).replaceAll(/[\s()-]/g, '')
  // The longest address (23.040 §9.1.2.5).
  if (!/^\+?[0-9*#]{3,20}$/.test(number)) return undefined
  const international = parameterText(type) === internationalNumber && !number.startsWith('+')
  return { number: international ? `+${number}` : number, name: textInCharacterSet(parameterText(alpha)) }
}

// 24.008 §10.5.4.7: 145 international, 129 unknown, 161 national.
const internationalNumber = '145'
