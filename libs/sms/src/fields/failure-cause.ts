import { checkedOctet, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'

/**
 * Reads TP-FCS (23.040 §9.2.3.22), the reason why a message was refused. TP-FCS precedes TP-PI only in a report of a
 * refused message. The TPDU does not show whether the message was refused. Only the top bit distinguishes TP-FCS from
 * TP-PI: every cause has this bit set, but in TP-PI this bit would announce an extension that no release defines.
 */
export function decodeFailureCause(reader: OctetReader): number | undefined {
  const octet = reader.peek()
  return octet !== undefined && octet >= LEAST_CAUSE ? reader.octet('TP-FCS') : undefined
}

export function encodeFailureCause(octet: number | undefined): Uint8Array {
  if (octet === undefined) return new Uint8Array(0)
  if (octet < LEAST_CAUSE) throw new PduEncodeError('TP-FCS', `${octet} is not from 128 to 255`)
  return Uint8Array.of(checkedOctet(octet, 'TP-FCS'))
}

/** The lowest cause. The values 0x00..0x7f are reserved. */
const LEAST_CAUSE = 0x80
