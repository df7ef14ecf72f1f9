import { addressFromText } from '@smsgw/sms/fields/address'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import type { OutgoingPdu } from '../src/send/submit.ts'

/** The PDU of a message in one part. */
export function pduOf(message: string, statusReportRequest: boolean): OutgoingPdu {
  const { parts, dataCodingScheme } = segment(message, { reference: 1 })
  const [userData] = parts
  if (userData === undefined) throw new Error('a message without parts')
  return encodeForModem({
    kind: 'submit',
    rejectDuplicates: false,
    replyPath: false,
    statusReportRequest,
    messageReference: 0,
    destination,
    protocolIdentifier: 0,
    dataCodingScheme,
    validityPeriod: undefined,
    userData,
  })
}

const destination = addressFromText('+447700900333')
