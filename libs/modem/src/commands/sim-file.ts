import { octetsFromHex } from '@smsgw/sms/octets'
import { integerOf, parseParameters, textOf } from '../at-parameters.ts'
import { lastWith, type Query } from './query.ts'

/** Reads bytes of a transparent file of the SIM: `+CRSM=176`. 27.007 §8.18 */
export function readSimFile(file: number, length: number): Query<SimFileAnswer> {
  return {
    text: `AT+CRSM=176,${file},0,0,${length}`,
    timeoutMs: 15_000,
    prefixes: ['+CRSM'],
    read: (lines) => {
      const [sw1, sw2, response] = parseParameters(lastWith(lines, '+CRSM')?.body ?? '')
      const first = integerOf(sw1)
      const second = integerOf(sw2)
      if (first === undefined || second === undefined) return undefined
      const status = (first << 8) | second
      // 90 00 and 91 xx (a proactive command waits): done. 9F and 92 are the same of older cards.
      if (first !== 0x90 && first !== 0x91 && first !== 0x9f && first !== 0x92) return { ok: false, status }
      const hex = textOf(response)
      if (!/^([0-9a-f]{2})*$/i.test(hex)) return undefined
      return { ok: true, status, octets: octetsFromHex(hex) }
    },
  }
}

export type SimFileAnswer =
  | { readonly ok: true; readonly status: number; readonly octets: Uint8Array }
  /** The card says why: 6A82 no such file, 6982 PIN first, 9404 no such file (2G). 102.221 §10.2.1 */
  | { readonly ok: false; readonly status: number }

// 31.102 §4.2.28: 6F43, last used TP-MR and the flag that memory is available again.
const efSmss = 0x6f43
const smss = readSimFile(efSmss, 2)

/**
 * The reference of the last message that the SIM knows to have been sent. Moved on: an attempt was made. The same: a
 * hint, no more, for modems write it late or never.
 */
export const readLastUsedMessageReference: Query<number | 'never'> = {
  ...smss,
  read: (lines) => {
    const answer = smss.read(lines)
    if (!answer?.ok) return undefined
    // A card that never sent has FF FF.
    return answer.octets[0] === 0xff && answer.octets[1] === 0xff ? 'never' : answer.octets[0]
  },
}
