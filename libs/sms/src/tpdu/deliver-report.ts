import { decodeFailureCause, encodeFailureCause } from '../fields/failure-cause.ts'
import { decodeFirstOctet, encodeFirstOctet, firstOctetBits, isSet, messageTypes } from '../fields/first-octet.ts'
import { joinOctets, OctetReader } from '../octets.ts'
import {
  decodeOptionalParameters,
  decodeParameterIndicator,
  encodeOptionalParameters,
  type OptionalParameters,
  parameterIndicatorOf,
} from './optional-parameters.ts'

/** SMS-DELIVER-REPORT, the phone's answer to an SMS-DELIVER. 23.040 §9.2.2.1a */
export interface DeliverReport extends OptionalParameters {
  readonly kind: 'deliver-report'
  /** TP-FCS (23.040 §9.2.3.22). Undefined if the message was accepted. */
  readonly failureCause: number | undefined
}

export function encodeDeliverReport(report: DeliverReport): Uint8Array {
  const hasHeader = report.userData?.header !== undefined
  const start = joinOctets([
    Uint8Array.of(encodeFirstOctet(messageTypes.deliverReport, hasHeader && firstOctetBits.userDataHeader)),
    encodeFailureCause(report.failureCause),
    Uint8Array.of(parameterIndicatorOf(report)),
  ])
  return joinOctets([start, encodeOptionalParameters(report, start.length)])
}

/** @param offset start of the TPDU */
export function decodeDeliverReport(octets: Uint8Array, offset = 0): DeliverReport {
  const reader = new OctetReader(octets, offset)
  const firstOctet = decodeFirstOctet(reader, 'SMS-DELIVER-REPORT', messageTypes.deliverReport)
  const failureCause = decodeFailureCause(reader)
  const indicator = decodeParameterIndicator(reader)
  const hasHeader = isSet(firstOctet, firstOctetBits.userDataHeader)
  return { kind: 'deliver-report', failureCause, ...decodeOptionalParameters(reader, indicator, hasHeader) }
}
