import { checkedOctet, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'

/** The reason why a message was refused. 23.040 §9.2.3.22 */
export interface FailureCause {
  readonly octet: number
  /** The description of the cause in the standard. */
  readonly description: string
}

export function failureCauseFromOctet(octet: number): FailureCause {
  return { octet, description: DESCRIPTIONS.get(octet) ?? undefinedDescription(octet) }
}

/**
 * Reads TP-FCS, which precedes TP-PI only in a report of a refused message. The TPDU does not show whether the message
 * was refused. Only the top bit distinguishes TP-FCS from TP-PI: every cause has this bit set, but in TP-PI this bit
 * would announce an extension that no release defines.
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

const DESCRIPTIONS: ReadonlyMap<number, string> = new Map([
  // TP-PID
  [0x80, 'Telematic interworking not supported'],
  [0x81, 'Short message Type 0 not supported'],
  [0x82, 'Cannot replace short message'],
  [0x8f, 'Unspecified TP-PID error'],
  // TP-DCS
  [0x90, 'Data coding scheme (alphabet) not supported'],
  [0x91, 'Message class not supported'],
  [0x9f, 'Unspecified TP-DCS error'],
  // TP-Command
  [0xa0, 'Command cannot be actioned'],
  [0xa1, 'Command unsupported'],
  [0xaf, 'Unspecified TP-Command error'],

  [0xb0, 'TPDU not supported'],

  [0xc0, 'SC busy'],
  [0xc1, 'No SC subscription'],
  [0xc2, 'SC system failure'],
  [0xc3, 'Invalid SME address'],
  [0xc4, 'Destination SME barred'],
  [0xc5, 'SM Rejected-Duplicate SM'],
  [0xc6, 'TP-VPF not supported'],
  [0xc7, 'TP-VP not supported'],

  [0xd0, '(U)SIM SMS storage full'],
  [0xd1, 'No SMS storage capability in (U)SIM'],
  [0xd2, 'Error in MS'],
  [0xd3, 'Memory Capacity Exceeded'],
  [0xd4, '(U)SIM Application Toolkit Busy'],
  [0xd5, '(U)SIM data download error'],

  [0xff, 'Unspecified error cause'],
])

function undefinedDescription(octet: number): string {
  return octet >= 0xe0 ? 'Value specific to an application' : 'Reserved'
}
