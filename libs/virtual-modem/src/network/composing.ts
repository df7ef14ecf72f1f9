import type { Address } from '@smsgw/sms/address'
import { addressFromText } from '@smsgw/sms/address'
import { encodeDataCodingScheme, type MessageClass } from '@smsgw/sms/data-coding-scheme'
import { encodeDeliver } from '@smsgw/sms/deliver'
import { encodeStatusReport } from '@smsgw/sms/status-report'
import type { Submit } from '@smsgw/sms/submit'
import { timeStampFromEpochMs } from '@smsgw/sms/time-stamp'
import type { UserData } from '@smsgw/sms/user-data'

/** When and where the service centre writes its time stamps. */
export interface Moment {
  readonly epochMs: number
  readonly zoneQuarters: number
}

/** The DELIVER that a SUBMIT becomes for a number that is here. */
export function deliverOfSubmit(submit: Submit, from: string, at: Moment): Uint8Array {
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

export interface Envelope extends Moment {
  readonly from: string
  readonly protocolIdentifier?: number
}

/** One DELIVER for each part. */
export function deliversOfParts(
  parts: readonly UserData[],
  dataCodingScheme: number,
  envelope: Envelope,
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
  readonly submitted: Moment
  readonly discharged: Moment
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
