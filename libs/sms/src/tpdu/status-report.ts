import { type Address, decodeAddress, encodeAddress } from '../fields/address.ts'
import { decodeFirstOctet, encodeFirstOctet, firstOctetBits, isSet, messageTypes } from '../fields/first-octet.ts'
import { decodeTimeStamp, encodeTimeStamp, type InvalidTimeStamp, type TimeStamp } from '../fields/time-stamp.ts'
import { checkedOctet, copyOf, joinOctets, OctetReader } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import {
  decodeOptionalParameters,
  decodeParameterIndicator,
  encodeOptionalParameters,
  type OptionalParameters,
  parameterIndicatorOf,
} from './optional-parameters.ts'

/** SMS-STATUS-REPORT, the delivery status of a message sent by this phone. 23.040 §9.2.2.3 */
export interface StatusReport extends OptionalParameters {
  readonly kind: 'status-report'
  readonly moreMessagesToSend: boolean
  readonly loopPrevention: boolean
  /** TP-SRQ: true if the report answers an SMS-COMMAND, not an SMS-SUBMIT. */
  readonly statusReportQualifier: boolean
  /** The reference of the reported message. */
  readonly messageReference: number
  readonly recipient: Address
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
  /** The time of the delivery or of the last attempt. */
  readonly dischargeTime: TimeStamp | InvalidTimeStamp
  /** TP-ST; decode it with `statusFromOctet`. */
  readonly status: number
  /** TP-PI and the octets after it if they are invalid; some centres and modems truncate or corrupt them. */
  readonly unreadParameters?: Uint8Array
}

export function encodeStatusReport(report: StatusReport): Uint8Array {
  const firstOctet = encodeFirstOctet(
    messageTypes.statusReport,
    !report.moreMessagesToSend && firstOctetBits.noMoreMessagesToSend,
    report.loopPrevention && firstOctetBits.loopPrevention,
    report.statusReportQualifier && firstOctetBits.statusReportQualifier,
    report.userData?.header !== undefined && firstOctetBits.userDataHeader,
  )
  const mandatory = joinOctets([
    Uint8Array.of(firstOctet, checkedOctet(report.messageReference, 'TP-MR')),
    encodeAddress(report.recipient, 'TP-RA'),
    encodeTimeStamp(report.serviceCentreTimeStamp, 'TP-SCTS'),
    encodeTimeStamp(report.dischargeTime, 'TP-DT'),
    Uint8Array.of(checkedOctet(report.status, 'TP-ST')),
  ])
  return joinOctets([mandatory, encodeParameters(report, mandatory.length)])
}

/** @param offset start of the TPDU */
export function decodeStatusReport(octets: Uint8Array, offset = 0): StatusReport {
  const reader = new OctetReader(octets, offset)
  const firstOctet = decodeFirstOctet(reader, 'SMS-STATUS-REPORT', messageTypes.statusReport)
  return {
    kind: 'status-report',
    moreMessagesToSend: !isSet(firstOctet, firstOctetBits.noMoreMessagesToSend),
    loopPrevention: isSet(firstOctet, firstOctetBits.loopPrevention),
    statusReportQualifier: isSet(firstOctet, firstOctetBits.statusReportQualifier),
    messageReference: reader.octet('TP-MR'),
    recipient: decodeAddress(reader, 'TP-RA'),
    serviceCentreTimeStamp: decodeTimeStamp(reader, 'TP-SCTS'),
    dischargeTime: decodeTimeStamp(reader, 'TP-DT'),
    status: reader.octet('TP-ST'),
    ...decodeParameters(octets, reader.position, isSet(firstOctet, firstOctetBits.userDataHeader)),
  }
}

function encodeParameters(report: StatusReport, octetsBefore: number): Uint8Array {
  if (report.unreadParameters !== undefined) return report.unreadParameters
  const indicator = parameterIndicatorOf(report)
  if (indicator === 0) return new Uint8Array(0)
  return joinOctets([Uint8Array.of(indicator), encodeOptionalParameters(report, octetsBefore + 1)])
}

/** Never fails, because the report is complete without these parameters. */
function decodeParameters(
  octets: Uint8Array,
  position: number,
  hasHeader: boolean,
): OptionalParameters & Pick<StatusReport, 'unreadParameters'> {
  const reader = new OctetReader(octets, position)
  if (reader.remaining === 0) return {}
  try {
    return decodeOptionalParameters(reader, decodeParameterIndicator(reader), hasHeader)
  } catch (error) {
    if (!(error instanceof PduDecodeError)) throw error
    return { unreadParameters: copyOf(octets, position) }
  }
}
