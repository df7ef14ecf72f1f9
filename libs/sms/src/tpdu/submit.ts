import { type Address, decodeAddress, encodeAddress } from '../fields/address.ts'
import { decodeDataCodingScheme } from '../fields/data-coding-scheme.ts'
import {
  decodeFirstOctet,
  encodeFirstOctet,
  firstOctetBits,
  isSet,
  messageTypes,
  validityPeriodFormatShift,
} from '../fields/first-octet.ts'
import { decodeUserData, type UserData, userDataField } from '../fields/user-data.ts'
import {
  decodeValidityPeriod,
  encodeValidityPeriod,
  type ValidityPeriod,
  validityPeriodFormatOf,
} from '../fields/validity-period.ts'
import { checkedOctet, joinOctets, OctetReader } from '../octets.ts'

/** SMS-SUBMIT, a message from the phone to the service centre. 23.040 §9.2.2.2 */
export interface Submit {
  readonly kind: 'submit'
  readonly rejectDuplicates: boolean
  readonly replyPath: boolean
  readonly statusReportRequest: boolean
  /** Most modems replace this reference with their own, which they return in the answer. */
  readonly messageReference: number
  readonly destination: Address
  readonly protocolIdentifier: number
  readonly dataCodingScheme: number
  readonly validityPeriod: ValidityPeriod | undefined
  readonly userData: UserData
}

/** @param prefix octets to write before the TPDU, so that the caller need not copy the TPDU to put them in front */
export function encodeSubmit(submit: Submit, prefix: Uint8Array = new Uint8Array(0)): Uint8Array {
  const firstOctet = encodeFirstOctet(
    messageTypes.submit,
    submit.rejectDuplicates && firstOctetBits.rejectDuplicates,
    validityPeriodFormatOf(submit.validityPeriod) << validityPeriodFormatShift,
    submit.statusReportRequest && firstOctetBits.statusReportRequest,
    submit.userData.header !== undefined && firstOctetBits.userDataHeader,
    submit.replyPath && firstOctetBits.replyPath,
  )
  return joinOctets([
    prefix,
    firstOctet,
    checkedOctet(submit.messageReference, 'TP-MR'),
    encodeAddress(submit.destination, 'TP-DA'),
    checkedOctet(submit.protocolIdentifier, 'TP-PID'),
    checkedOctet(submit.dataCodingScheme, 'TP-DCS'),
    encodeValidityPeriod(submit.validityPeriod),
    ...userDataField(submit.userData, submit.dataCodingScheme),
  ])
}

/** @param offset start of the TPDU */
export function decodeSubmit(octets: Uint8Array, offset = 0): Submit {
  const reader = new OctetReader(octets, offset)
  const firstOctet = decodeFirstOctet(reader, 'SMS-SUBMIT', messageTypes.submit)
  const messageReference = reader.octet('TP-MR')
  const destination = decodeAddress(reader, 'TP-DA')
  const protocolIdentifier = reader.octet('TP-PID')
  const dataCodingScheme = reader.octet('TP-DCS')
  const validityPeriod = decodeValidityPeriod(reader, (firstOctet >> validityPeriodFormatShift) & 0b11)
  const hasHeader = isSet(firstOctet, firstOctetBits.userDataHeader)
  return {
    kind: 'submit',
    rejectDuplicates: isSet(firstOctet, firstOctetBits.rejectDuplicates),
    replyPath: isSet(firstOctet, firstOctetBits.replyPath),
    statusReportRequest: isSet(firstOctet, firstOctetBits.statusReportRequest),
    messageReference,
    destination,
    protocolIdentifier,
    dataCodingScheme,
    validityPeriod,
    userData: decodeUserData(reader, decodeDataCodingScheme(dataCodingScheme), hasHeader),
  }
}
