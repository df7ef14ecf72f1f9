import type { OctetReader } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'

/** TP-MTI, bits 1 and 0. The meaning of a value depends on the direction. 23.040 §9.2.3.1 */
export const messageTypes = {
  deliver: 0b00,
  deliverReport: 0b00,
  submit: 0b01,
  submitReport: 0b01,
  statusReport: 0b10,
  command: 0b10,
  reserved: 0b11,
} as const

/** The other bits. The meaning of several bits depends on the message type. 23.040 §9.2.2 */
export const firstOctetBits = {
  /** TP-MMS, which is set if there are no more messages to send. */
  noMoreMessagesToSend: 0x04,
  /** TP-RD */
  rejectDuplicates: 0x04,
  /** TP-LP */
  loopPrevention: 0x08,
  /** TP-SRR */
  statusReportRequest: 0x20,
  /** TP-SRI */
  statusReportIndication: 0x20,
  /** TP-SRQ */
  statusReportQualifier: 0x20,
  /** TP-UDHI */
  userDataHeader: 0x40,
  /** TP-RP */
  replyPath: 0x80,
} as const

/** The position of TP-VPF, which has two bits like TP-MTI. */
export const validityPeriodFormatShift = 3

export function messageTypeOf(firstOctet: number): number {
  return firstOctet & 0b11
}

export function isSet(firstOctet: number, bit: number): boolean {
  return (firstOctet & bit) !== 0
}

/** @param bits values of {@link firstOctetBits}; false clears a bit */
export function encodeFirstOctet(messageType: number, ...bits: readonly (number | false)[]): number {
  return bits.reduce<number>((octet, bit) => octet | (bit === false ? 0 : bit), messageType)
}

export function decodeFirstOctet(reader: OctetReader, name: string, ...expected: readonly number[]): number {
  const offset = reader.position
  const firstOctet = reader.octet('TP-MTI')
  const messageType = messageTypeOf(firstOctet)
  if (!expected.includes(messageType)) throw new PduDecodeError('TP-MTI', offset, `${messageType} is not ${name}`)
  return firstOctet
}
