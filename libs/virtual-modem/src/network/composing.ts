import type { Address } from '@smsgw/sms/fields/address'
import { addressFromText } from '@smsgw/sms/fields/address'
import { encodeDataCodingScheme, type MessageClass } from '@smsgw/sms/fields/data-coding-scheme'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { UserData } from '@smsgw/sms/fields/user-data'
import { encodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { encodeStatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Submit } from '@smsgw/sms/tpdu/submit'

/** The time and zone that the service centre writes into a message. */
export interface LocalMoment {
  readonly epochMs: number
  readonly zoneQuarters: number
}

/** The DELIVER for a SUBMIT to a number of this network. */
export function deliverOfSubmit(submit: Submit, from: string, at: LocalMoment): Uint8Array {
  return encodeDeliver({
    kind: 'deliver',
    moreMessagesToSend: false,
    loopPrevention: false,
    replyPath: submit.replyPath,
    statusReportIndication: submit.statusReportRequest,
    originator: addressFromText(from),
    protocolIdentifier: submit.protocolIdentifier,
    dataCodingScheme: submit.dataCodingScheme,
    serviceCentreTimeStamp: timeStampFromEpochMs(at.epochMs, at.zoneQuarters),
    userData: submit.userData,
  })
}

export interface DeliverEnvelope extends LocalMoment {
  readonly from: string
  readonly protocolIdentifier?: number
}

/** Returns one DELIVER for each part. */
export function deliversOfParts(
  parts: readonly UserData[],
  dataCodingScheme: number,
  envelope: DeliverEnvelope,
): Uint8Array[] {
  return parts.map((userData) =>
    encodeDeliver({
      kind: 'deliver',
      moreMessagesToSend: false,
      loopPrevention: false,
      replyPath: false,
      statusReportIndication: false,
      originator: addressFromText(envelope.from),
      protocolIdentifier: envelope.protocolIdentifier ?? 0,
      dataCodingScheme,
      serviceCentreTimeStamp: timeStampFromEpochMs(envelope.epochMs, envelope.zoneQuarters),
      userData,
    }),
  )
}

export interface ReportOn {
  readonly messageReference: number
  readonly recipient: Address
  readonly submitted: LocalMoment
  readonly discharged: LocalMoment
  readonly status: number
}

export function statusReportOf(report: ReportOn): Uint8Array {
  return encodeStatusReport({
    kind: 'status-report',
    moreMessagesToSend: false,
    loopPrevention: false,
    statusReportQualifier: false,
    messageReference: report.messageReference,
    recipient: report.recipient,
    serviceCentreTimeStamp: timeStampFromEpochMs(report.submitted.epochMs, report.submitted.zoneQuarters),
    dischargeTime: timeStampFromEpochMs(report.discharged.epochMs, report.discharged.zoneQuarters),
    status: report.status,
  })
}

export function dataCodingSchemeOf(alphabet: UserData['alphabet'], messageClass: MessageClass | undefined): number {
  return encodeDataCodingScheme({ alphabet, messageClass })
}
