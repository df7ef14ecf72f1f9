import { integerOf, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import type { Query } from '../query.ts'

/** A message in a memory of the SIM or the modem. */
export interface StoredPdu {
  readonly index: number
  /** 0 and 1: received (unread, read). 2 and 3: outgoing (unsent, sent). Undefined if the firmware omits the status. */
  readonly stat: number | undefined
  /** Service centre address and TPDU in hexadecimal digits, upper case. */
  readonly pdu: string
}

/** All messages of the selected memory, with any status. 27.005 §3.4.2 */
export const listStoredMessages: Query<readonly StoredPdu[]> = {
  text: 'AT+CMGL=4',
  timeoutMs: 30_000,
  // Slow SIMs read one message per second, and a memory may hold 255 messages.
  limitMs: 330_000,
  prefixes: ['+CMGL'],
  withPayload: true,
  read: (lines) => {
    if (lines.some(isTextMode)) return undefined
    return lines.flatMap((line) => {
      const parameters = parseParameters(line.body)
      const index = integerOf(parameters[0])
      const pdu = pduOf(line)
      // The slot is empty, or the row has no PDU.
      if (index === undefined || index < 0 || pdu === undefined) return []
      return { index, stat: statOf(integerOf(parameters[1])), pdu }
    })
  },
}

/**
 * Reads one message. Returns `empty` if the answer has the length 0, the PDU `00` or no line, or is an error (CMS 321).
 * 27.005 §3.4.3
 */
export function readMessage(index: number): Query<StoredPdu | 'empty'> {
  return {
    text: `AT+CMGR=${index}`,
    timeoutMs: 15_000,
    prefixes: ['+CMGR'],
    withPayload: true,
    read: (lines) => {
      if (lines.some(isTextMode)) return undefined
      const line = lines.at(-1)
      const pdu = line && pduOf(line)
      if (line === undefined || pdu === undefined) return 'empty'
      const parameters = parseParameters(line.body)
      // Some firmware writes the index first, as in CMGL: `2,2,,174`.
      return { index, stat: statOf(integerOf(parameters[parameters.length === 4 ? 1 : 0])), pdu }
    },
  }
}

export function deleteStoredMessage(index: number): Query<true> {
  return { text: `AT+CMGD=${index}`, timeoutMs: 30_000, read: () => true }
}

/**
 * Returns true if the status is a text such as `"REC UNREAD"` instead of a number, because the modem restarted
 * unnoticed and is in text mode.
 */
function isTextMode(line: ResponseLine): boolean {
  return isTextModeStatus(line.body)
}

export function isTextModeStatus(body: string): boolean {
  return /"(REC|STO) (READ|UNREAD|SENT|UNSENT)"/.test(body)
}

/** Returns undefined for a slot that contains only `FF` (Siemens MC35, MT) or `00`, and so no message. */
function pduOf(line: ResponseLine): string | undefined {
  const hex = line.payload?.replaceAll(/\s/g, '').toUpperCase()
  if (hex === undefined || !/^[0-9A-F]+$/.test(hex) || hex.length < shortestPdu) return undefined
  return /^(00|FF)+$/.test(hex) ? undefined : hex
}

// A service centre address of `00`, then the shortest possible TPDU of two octets.
const shortestPdu = 6

/**
 * Returns undefined if the row has no status. Examples of such rows: `,,92`, where the status is empty, and `24`, which
 * consists of the length only.
 */
function statOf(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 && value <= 4 ? value : undefined
}
