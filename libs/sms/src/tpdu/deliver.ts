import { type Address, decodeAddress, encodeAddress } from '../fields/address.ts'
import { decodeDataCodingScheme } from '../fields/data-coding-scheme.ts'
import { decodeFirstOctet, encodeFirstOctet, firstOctetBits, isSet, messageTypes } from '../fields/first-octet.ts'
import { decodeTimeStamp, encodeTimeStamp, type InvalidTimeStamp, type TimeStamp } from '../fields/time-stamp.ts'
import { decodeUserData, type UserData, userDataField } from '../fields/user-data.ts'
import { checkedOctet, joinOctets, OctetReader } from '../octets.ts'

/** SMS-DELIVER, a message from the service centre to the phone. 23.040 §9.2.2.1 */
export interface Deliver {
  readonly kind: 'deliver'
  /** True if the service centre has more messages for this phone. */
  readonly moreMessagesToSend: boolean
  /** True if the message must not be forwarded or answered automatically. */
  readonly loopPrevention: boolean
  readonly replyPath: boolean
  /** True if a status report is returned to the sender. */
  readonly statusReportIndication: boolean
  readonly originator: Address
  readonly protocolIdentifier: number
  readonly dataCodingScheme: number
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
  readonly userData: UserData
}

/** @param prefix octets to write before the TPDU, so that the caller need not copy the TPDU to put them in front */
export function encodeDeliver(deliver: Deliver, prefix: Uint8Array = new Uint8Array(0)): Uint8Array {
  const firstOctet = encodeFirstOctet(
    messageTypes.deliver,
    !deliver.moreMessagesToSend && firstOctetBits.noMoreMessagesToSend,
    deliver.loopPrevention && firstOctetBits.loopPrevention,
    deliver.statusReportIndication && firstOctetBits.statusReportIndication,
    deliver.userData.header !== undefined && firstOctetBits.userDataHeader,
    deliver.replyPath && firstOctetBits.replyPath,
  )
  return joinOctets([
    prefix,
    firstOctet,
    encodeAddress(deliver.originator, 'TP-OA'),
    checkedOctet(deliver.protocolIdentifier, 'TP-PID'),
    checkedOctet(deliver.dataCodingScheme, 'TP-DCS'),
    encodeTimeStamp(deliver.serviceCentreTimeStamp, 'TP-SCTS'),
    ...userDataField(deliver.userData, deliver.dataCodingScheme),
  ])
}

/** @param offset start of the TPDU */
export function decodeDeliver(octets: Uint8Array, offset = 0): Deliver {
  const reader = new OctetReader(octets, offset)
  // 23.040 §9.2.3.1: A phone treats the reserved type as SMS-DELIVER.
  const firstOctet = decodeFirstOctet(reader, 'SMS-DELIVER', messageTypes.deliver, messageTypes.reserved)
  const originator = decodeAddress(reader, 'TP-OA')
  const protocolIdentifier = reader.octet('TP-PID')
  const dataCodingScheme = reader.octet('TP-DCS')
  const serviceCentreTimeStamp = decodeTimeStamp(reader, 'TP-SCTS')
  const hasHeader = isSet(firstOctet, firstOctetBits.userDataHeader)
  return {
    kind: 'deliver',
    moreMessagesToSend: !isSet(firstOctet, firstOctetBits.noMoreMessagesToSend),
    loopPrevention: isSet(firstOctet, firstOctetBits.loopPrevention),
    replyPath: isSet(firstOctet, firstOctetBits.replyPath),
    statusReportIndication: isSet(firstOctet, firstOctetBits.statusReportIndication),
    originator,
    protocolIdentifier,
    dataCodingScheme,
    serviceCentreTimeStamp,
    userData: decodeUserData(reader, decodeDataCodingScheme(dataCodingScheme), hasHeader),
  }
}
