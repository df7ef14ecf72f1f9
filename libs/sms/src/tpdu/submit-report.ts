import { decodeFailureCause, encodeFailureCause } from '../fields/failure-cause.ts'
import { decodeFirstOctet, encodeFirstOctet, firstOctetBits, isSet, messageTypes } from '../fields/first-octet.ts'
import { decodeTimeStamp, encodeTimeStamp, type InvalidTimeStamp, type TimeStamp } from '../fields/time-stamp.ts'
import { joinOctets, OctetReader } from '../octets.ts'
import {
  decodeOptionalParameters,
  decodeParameterIndicator,
  encodeOptionalParameters,
  type OptionalParameters,
  parameterIndicatorOf,
} from './optional-parameters.ts'

/** SMS-SUBMIT-REPORT, the service centre's answer to an SMS-SUBMIT. 23.040 §9.2.2.2a */
export interface SubmitReport extends OptionalParameters {
  readonly kind: 'submit-report'
  /** TP-FCS (23.040 §9.2.3.22). Undefined if the message was accepted. */
  readonly failureCause: number | undefined
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
}

export function encodeSubmitReport(report: SubmitReport): Uint8Array {
  const hasHeader = report.userData?.header !== undefined
  const start = joinOctets([
    Uint8Array.of(encodeFirstOctet(messageTypes.submitReport, hasHeader && firstOctetBits.userDataHeader)),
    encodeFailureCause(report.failureCause),
    Uint8Array.of(parameterIndicatorOf(report)),
    encodeTimeStamp(report.serviceCentreTimeStamp, 'TP-SCTS'),
  ])
  return joinOctets([start, encodeOptionalParameters(report, start.length)])
}

/** @param offset start of the TPDU */
export function decodeSubmitReport(octets: Uint8Array, offset = 0): SubmitReport {
  const reader = new OctetReader(octets, offset)
  const firstOctet = decodeFirstOctet(reader, 'SMS-SUBMIT-REPORT', messageTypes.submitReport)
  const failureCause = decodeFailureCause(reader)
  const indicator = decodeParameterIndicator(reader)
  const serviceCentreTimeStamp = decodeTimeStamp(reader, 'TP-SCTS')
  const hasHeader = isSet(firstOctet, firstOctetBits.userDataHeader)
  return {
    kind: 'submit-report',
    failureCause,
    serviceCentreTimeStamp,
    ...decodeOptionalParameters(reader, indicator, hasHeader),
  }
}
