import { addressFromText } from '@smsgw/sms/fields/address'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'

/** The duration of a round in milliseconds: of its commands (`dialogue`) and of its messages (`submit`). */
export interface Round {
  readonly dialogue: number
  readonly submit: number
}

/** The message that every round sends: a hundred characters. */
export const roundText =
  'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00 (reply STOP to opt out of these texts).'

export const message = messageOf(roundText)

function messageOf(words: string): { readonly octets: Uint8Array; readonly tpduLength: number } {
  const { parts, dataCodingScheme } = segment(words, { reference: 1 })
  const [userData] = parts
  if (userData === undefined) throw new Error('a message without parts')
  return encodeForModem({
    kind: 'submit',
    rejectDuplicates: false,
    replyPath: false,
    statusReportRequest: false,
    messageReference: 0,
    destination: addressFromText('+447700900123'),
    protocolIdentifier: 0,
    dataCodingScheme,
    validityPeriod: undefined,
    userData,
  })
}
