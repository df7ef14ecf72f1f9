import { segment, segmentData } from '@smsgw/sms/segmentation/segment'
import type { MmsNotification } from '@smsgw/sms/wap/mms-notification'
import { encodeMmsNotification } from '@smsgw/sms/wap/mms-notification-encode'
import {
  type ContentTypeForm,
  encodeWspPush,
  mmsMediaType,
  wapPushPort,
  wapPushSourcePort,
} from '@smsgw/sms/wap/wsp-push'
import { type DeliverEnvelope, dataCodingSchemeOf, deliversOfParts } from './composing.ts'

export interface SendTextOptions {
  readonly encoding?: 'gsm7' | 'ucs2'
  readonly messageClass?: 0 | 1 | 2 | 3
  readonly nationalShifts?: readonly number[]
  /** The concatenation reference. Default: the next reference. */
  readonly reference?: number
  readonly referenceWidth?: 8 | 16
  readonly protocolIdentifier?: number
  /** Time stamp of the service centre; default: now. */
  readonly epochMs?: number
}

export interface SendDataOptions {
  readonly destinationPort: number
  readonly sourcePort?: number
  readonly messageClass?: 0 | 1 | 2 | 3
  readonly reference?: number
}

export function deliversOfText(
  text: string,
  envelope: DeliverEnvelope,
  reference: number,
  options: SendTextOptions,
): Uint8Array[] {
  const { encoding, messageClass, nationalShifts, referenceWidth } = options
  const segmentation = segment(text, { reference, referenceWidth, nationalShifts, encoding, messageClass })
  return deliversOfParts(segmentation.parts, segmentation.dataCodingScheme, envelope)
}

export function deliversOfData(
  data: Uint8Array,
  envelope: DeliverEnvelope,
  reference: number,
  options: SendDataOptions,
): Uint8Array[] {
  const ports = { width: 16, destination: options.destinationPort, source: options.sourcePort ?? 0 } as const
  const { parts } = segmentData(data, { ports, reference })
  return deliversOfParts(parts, dataCodingSchemeOf('octets', options.messageClass), envelope)
}

/** An MMS notification as a WAP push in one or more parts. */
export function deliversOfMmsNotification(
  notification: MmsNotification,
  envelope: DeliverEnvelope,
  reference: number,
  contentTypeForm: ContentTypeForm,
): Uint8Array[] {
  const push = encodeWspPush({
    transactionId: reference & 0xff,
    contentType: mmsMediaType,
    contentTypeForm,
    body: encodeMmsNotification(notification),
  })
  return deliversOfData(push, envelope, reference, {
    destinationPort: wapPushPort,
    sourcePort: wapPushSourcePort,
  })
}
