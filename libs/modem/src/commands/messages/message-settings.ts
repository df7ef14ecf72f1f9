import { integerOf, offersNumber, parseParameters } from '../../wire/at-parameters.ts'
import { lastWith, type Query } from '../query.ts'

/** Selects PDU mode. 27.005 §3.2.3 */
export const selectPduMode: Query<true> = { text: 'AT+CMGF=0', timeoutMs: 5000, read: () => true }

/** Reads whether the modem lists PDU mode: `+CMGF: (0,1)`. */
export const readIsPduModeOffered: Query<boolean> = {
  text: 'AT+CMGF=?',
  timeoutMs: 5000,
  prefixes: ['+CMGF'],
  read: (lines) => {
    const lists = parseParameters(lastWith(lines, '+CMGF')?.body ?? '')
    // Some modems leave out the parentheses.
    return lists.some((list) => offersNumber(list, 1)) ? lists.some((list) => offersNumber(list, 0)) : undefined
  },
}

/**
 * Reads the mode. A modem that restarted unnoticed may be in text mode, and `AT+CMGS=24` would then send a message to
 * the number 24.
 */
export const readMessageFormat: Query<'pdu' | 'text'> = {
  text: 'AT+CMGF?',
  timeoutMs: 5000,
  prefixes: ['+CMGF'],
  read: (lines) => {
    const mode = integerOf(parseParameters(lastWith(lines, '+CMGF')?.body ?? '')[0])
    return mode === undefined ? undefined : mode === 0 ? 'pdu' : 'text'
  },
}

/**
 * With service 0, directly delivered messages need no acknowledgement. With service 1, a single missing `+CNMA` stops
 * all further deliveries without an error. 27.005 §3.2.1
 */
export function selectMessageService(service: number): Query<true> {
  return { text: `AT+CSMS=${service}`, timeoutMs: 5000, prefixes: ['+CSMS'], read: () => true }
}

export const readMessageService: Query<number> = {
  text: 'AT+CSMS?',
  timeoutMs: 5000,
  prefixes: ['+CSMS'],
  read: (lines) => integerOf(parseParameters(lastWith(lines, '+CSMS')?.body ?? '')[0]),
}

/** Keeps the radio link open between consecutive messages. 27.005 §3.5.6 */
export const keepLinkOpen: Query<true> = { text: 'AT+CMMS=1', timeoutMs: 5000, read: () => true }

/**
 * Acknowledges a directly delivered message. Only service 1 requires an acknowledgement. It is always sent without a
 * PDU, because half of all firmware mishandles an acknowledgement with a PDU. 27.005 §3.4.4
 */
export function acknowledgeDelivery(form: AcknowledgementForm): Query<true> {
  return { text: { bare: 'AT+CNMA', zero: 'AT+CNMA=0', one: 'AT+CNMA=1' }[form], timeoutMs: 5000, read: () => true }
}

export type AcknowledgementForm = 'bare' | 'zero' | 'one'
