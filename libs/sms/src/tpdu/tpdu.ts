import { type Address, decodeServiceCentreAddress, encodeServiceCentreAddress } from '../fields/address.ts'
import { messageTypeOf, messageTypes } from '../fields/first-octet.ts'
import { copyOf, joinOctets, OctetReader } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import { type Deliver, decodeDeliver, encodeDeliver } from './deliver.ts'
import { type DeliverReport, decodeDeliverReport, encodeDeliverReport } from './deliver-report.ts'
import { decodeStatusReport, encodeStatusReport, type StatusReport } from './status-report.ts'
import { decodeSubmit, encodeSubmit, type Submit } from './submit.ts'
import { decodeSubmitReport, encodeSubmitReport, type SubmitReport } from './submit-report.ts'

/**
 * Any message between phone and service centre. 23.040 §9.2.2
 *
 * In AT commands, the address of the service centre precedes the TPDU (27.005 §3.1). The functions in this file read
 * and write address and TPDU together. For a TPDU without the address, the files of the message types have their own
 * functions.
 */
export type Tpdu = Submit | Deliver | StatusReport | SubmitReport | DeliverReport

/** SMS-COMMAND, which this package neither decodes nor encodes. */
export interface CommandTpdu {
  readonly kind: 'command'
  readonly octets: Uint8Array
}

/** Decodes a PDU that comes from the network: from `+CMT`, `+CDS`, or a received message in `+CMGR` or `+CMGL`. */
export function decodeIncoming(octets: Uint8Array): {
  readonly serviceCentre: Address | undefined
  readonly tpdu: Deliver | StatusReport | SubmitReport
} {
  const { serviceCentre, offset, messageType } = decodeStart(octets)
  switch (messageType) {
    case messageTypes.statusReport:
      return { serviceCentre, tpdu: decodeStatusReport(octets, offset) }
    case messageTypes.submitReport:
      return { serviceCentre, tpdu: decodeSubmitReport(octets, offset) }
    default:
      return { serviceCentre, tpdu: decodeDeliver(octets, offset) }
  }
}

/** Decodes a PDU that comes from the phone: for `+CMGS` or `+CNMA`, or an outgoing message in `+CMGR` or `+CMGL`. */
export function decodeOutgoing(octets: Uint8Array): {
  readonly serviceCentre: Address | undefined
  readonly tpdu: Submit | DeliverReport | CommandTpdu
} {
  const { serviceCentre, offset, messageType } = decodeStart(octets)
  switch (messageType) {
    case messageTypes.submit:
      return { serviceCentre, tpdu: decodeSubmit(octets, offset) }
    case messageTypes.deliverReport:
      return { serviceCentre, tpdu: decodeDeliverReport(octets, offset) }
    case messageTypes.command:
      return { serviceCentre, tpdu: { kind: 'command', octets: copyOf(octets, offset) } }
    default:
      throw new PduDecodeError('TP-MTI', offset, `${messageType} is reserved`)
  }
}

/**
 * @param serviceCentre undefined lets the modem use its stored service centre
 * @returns `tpduLength` is the length for `+CMGS`, without the octets of the service centre (27.005 §3.5.1)
 */
export function encodeForModem(tpdu: Tpdu, serviceCentre?: Address): { octets: Uint8Array; tpduLength: number } {
  const address = encodeServiceCentreAddress(serviceCentre)
  const octets = encodeTpdu(tpdu, address)
  return { octets, tpduLength: octets.length - address.length }
}

function decodeStart(octets: Uint8Array): {
  serviceCentre: Address | undefined
  offset: number
  messageType: number
} {
  const reader = new OctetReader(octets)
  const serviceCentre = decodeServiceCentreAddress(reader)
  const offset = reader.position
  return { serviceCentre, offset, messageType: messageTypeOf(reader.octet('TP-MTI')) }
}

function encodeTpdu(tpdu: Tpdu, prefix: Uint8Array): Uint8Array {
  switch (tpdu.kind) {
    case 'submit':
      return encodeSubmit(tpdu, prefix)
    case 'deliver':
      return encodeDeliver(tpdu, prefix)
    case 'status-report':
      return joinOctets([prefix, encodeStatusReport(tpdu)])
    case 'submit-report':
      return joinOctets([prefix, encodeSubmitReport(tpdu)])
    case 'deliver-report':
      return joinOctets([prefix, encodeDeliverReport(tpdu)])
  }
}
