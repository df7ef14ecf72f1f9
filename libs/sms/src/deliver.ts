import { type Address, decodeAddress, encodeAddress } from './address.ts'
import { decodeDataCodingScheme } from './data-coding-scheme.ts'
import { decodeFirstOctet, encodeFirstOctet, firstOctetBits, isSet, messageTypes } from './first-octet.ts'
import { checkedOctet, joinOctets, OctetReader } from './octets.ts'
import { decodeTimeStamp, encodeTimeStamp, type InvalidTimeStamp, type TimeStamp } from './time-stamp.ts'
import { decodeUserData, type UserData, userDataField } from './user-data.ts'

/** SMS-DELIVER, a message on its way from the service centre to the phone. 23.040 §9.2.2.1 */
export interface Deliver {
  readonly kind: 'deliver'
  /** The centre holds more for this phone. */
  readonly moreMessagesToSend: boolean
  /** Nothing is to be forwarded or answered automatically. */
  readonly loopPrevention: boolean
  readonly replyPath: boolean
  /** The sender will be told of the delivery. */
  readonly statusReportIndication: boolean
  readonly originator: Address
  readonly protocolIdentifier: number
  readonly dataCodingScheme: number
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
  readonly userData: UserData
}

/** @param inFront octets to put in front of the TPDU, where they cost no second copy of it */
export function encodeDeliver(deliver: Deliver, inFront: Uint8Array = new Uint8Array(0)): Uint8Array {
  const firstOctet = encodeFirstOctet(
    messageTypes.deliver,
    !deliver.moreMessagesToSend && firstOctetBits.noMoreMessagesToSend,
    deliver.loopPrevention && firstOctetBits.loopPrevention,
    deliver.statusReportIndication && firstOctetBits.statusReportIndication,
    deliver.userData.header !== undefined && firstOctetBits.userDataHeader,
    deliver.replyPath && firstOctetBits.replyPath,
  )
  return joinOctets([
    inFront,
    firstOctet,
    encodeAddress(deliver.originator, 'TP-OA'),
    checkedOctet(deliver.protocolIdentifier, 'TP-PID'),
    checkedOctet(deliver.dataCodingScheme, 'TP-DCS'),
    encodeTimeStamp(deliver.serviceCentreTimeStamp, 'TP-SCTS'),
    ...userDataField(deliver.userData, deliver.dataCodingScheme),
  ])
}

/** @param offset where the TPDU begins */
export function decodeDeliver(octets: Uint8Array, offset = 0): Deliver {
  const reader = new OctetReader(octets, offset)
  // 23.040 §9.2.3.1: a phone treats the reserved type as SMS-DELIVER.
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
