import { hexFromOctets } from '@smsgw/sms/octets'
import { ucs2FromText } from '@smsgw/sms/text/ucs2'
import { packUssd } from '@smsgw/sms/ussd'
import { integerOf, outermostQuoted, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query } from '../query.ts'
import { decodeUssdText, type UssdEncoding } from './ussd-text.ts'

/** The network's answer, or the reason why there is none. 27.007 §7.15 */
export interface UssdResponse {
  readonly status: UssdStatus
  readonly text: string | undefined
}

/** `answered`: the session has ended. `asks`: the session is open and expects a reply. */
export type UssdStatus =
  | 'answered'
  | 'asks'
  | 'ended-by-network'
  | 'other-client-answered'
  | 'not-supported'
  | 'network-timeout'

/**
 * The network's answer arrives as an unsolicited `+CUSD`, before the OK or up to two minutes after the OK. Returns
 * undefined if the text cannot be written in this encoding.
 */
export function sendUssd(text: string, encoding: UssdEncoding): Query<UssdResponse | 'sent'> | undefined {
  const encoded = encodeUssdText(text, encoding)
  if (encoded === undefined) return undefined
  return {
    text: `AT+CUSD=1,"${encoded}",15`,
    timeoutMs: 10_000,
    limitMs: 120_000,
    prefixes: ['+CUSD'],
    read: (lines) => {
      const line = lastWith(lines, '+CUSD')
      return (line && ussdAnswerIn(line, encoding)) ?? 'sent'
    },
  }
}

export const cancelUssd: Query<true> = { text: 'AT+CUSD=2', timeoutMs: 10_000, read: () => true }

/** `+CUSD: 0,"Balance 3.20",15`, and `+CUSD: 0, 0042…` without quotes or without a data coding scheme. */
export function ussdAnswerIn(line: ResponseLine, encoding: UssdEncoding): UssdResponse | undefined {
  const { status, text, dataCodingScheme } = takeApart(line.body)
  const known = status === undefined ? undefined : statuses[status]
  if (known === undefined) return undefined
  return { status: known, text: text === undefined ? undefined : decodeUssdText(text, dataCodingScheme, encoding) }
}

function takeApart(body: string): { status?: number; text?: string; dataCodingScheme?: number } {
  const quoted = outermostQuoted(body)
  const [first, second, third] = parseParameters(quoted?.before ?? body)
  const status = integerOf(first)
  if (status === undefined) return {}
  if (quoted !== undefined) {
    // The scheme follows the closing quote; a truncated text has neither a closing quote nor a scheme.
    const scheme = integerOf(parseParameters(quoted.after.replace(/^\s*,/, ''))[0])
    return { status, text: quoted.text, ...(scheme === undefined ? {} : { dataCodingScheme: scheme }) }
  }
  const text = parameterText(second)
  const scheme = integerOf(third)
  return { status, ...(text === '' ? {} : { text }), ...(scheme === undefined ? {} : { dataCodingScheme: scheme }) }
}

function encodeUssdText(text: string, encoding: UssdEncoding): string | undefined {
  if (encoding === 'ucs2-hex') return hexFromOctets(ucs2FromText(text))
  const packed = packUssd(text)
  if (encoding === 'packed-hex' && packed !== undefined) return hexFromOctets(packed)
  return quotable.test(text) ? text : undefined
}

// A quote would end the text and a line end would end the command, so the modem could read the rest as commands. A
// character of another script does not fit into one byte.
const quotable = /^[\x20-\x21\x23-\x7e]*$/

const statuses: readonly UssdStatus[] = [
  'answered',
  'asks',
  'ended-by-network',
  'other-client-answered',
  'not-supported',
  'network-timeout',
]
