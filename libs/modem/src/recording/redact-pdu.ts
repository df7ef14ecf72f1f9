import type { Address } from '@smsgw/sms/fields/address'
import type { InvalidTimeStamp, TimeStamp } from '@smsgw/sms/fields/time-stamp'
import type { UserData } from '@smsgw/sms/fields/user-data'
import { userDataHeaderOf } from '@smsgw/sms/fields/user-data-header'
import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import { PduDecodeError, PduEncodeError } from '@smsgw/sms/pdu-error'
import { decodeIncoming, decodeOutgoing, encodeForModem, type Tpdu } from '@smsgw/sms/tpdu/tpdu'
import type { Pseudonyms } from './pseudonyms.ts'

export interface RedactedPdu {
  readonly hex: string
  /** The length of the TPDU, for the line before the PDU. */
  readonly tpduLength: number
}

/**
 * Replaces the addresses, the text and the times in a PDU. A PDU that cannot be decoded is replaced with an empty
 * message from an invented number, because its content is unknown.
 */
export function redactPdu(hex: string, direction: 'incoming' | 'outgoing', pseudonyms: Pseudonyms): RedactedPdu {
  try {
    const { serviceCentre, tpdu } = (direction === 'incoming' ? decodeIncoming : decodeOutgoing)(octetsFromHex(hex))
    const replaced = tpdu.kind === 'command' ? undefined : redacted(tpdu, pseudonyms)
    if (replaced === undefined) return unreadable
    const centre = serviceCentre && redactedAddress(serviceCentre, pseudonyms)
    const { octets, tpduLength } = encodeForModem(replaced, centre)
    return { hex: hexFromOctets(octets), tpduLength }
  } catch (error) {
    if (error instanceof PduDecodeError || error instanceof PduEncodeError) return unreadable
    throw error
  }
}

/** Returns undefined for kinds of PDUs that never occur in a dialogue. */
function redacted(tpdu: Tpdu, pseudonyms: Pseudonyms): Tpdu | undefined {
  switch (tpdu.kind) {
    case 'deliver':
      return {
        ...tpdu,
        originator: redactedAddress(tpdu.originator, pseudonyms),
        serviceCentreTimeStamp: redactedTime(tpdu.serviceCentreTimeStamp),
        userData: redactedUserData(tpdu.userData),
      }
    case 'submit':
      return {
        ...tpdu,
        destination: redactedAddress(tpdu.destination, pseudonyms),
        // Removes the validity period, which may be a time and show when the message was sent.
        validityPeriod: undefined,
        userData: redactedUserData(tpdu.userData),
      }
    case 'status-report': {
      const { moreMessagesToSend, loopPrevention, statusReportQualifier, messageReference, status } = tpdu
      return {
        kind: 'status-report',
        ...{ moreMessagesToSend, loopPrevention, statusReportQualifier, messageReference, status },
        recipient: redactedAddress(tpdu.recipient, pseudonyms),
        serviceCentreTimeStamp: redactedTime(tpdu.serviceCentreTimeStamp),
        dischargeTime: redactedTime(tpdu.dischargeTime),
      }
    }
    case 'submit-report':
    case 'deliver-report':
      return undefined
  }
}

function redactedAddress(address: Address, pseudonyms: Pseudonyms): Address {
  const { typeOfNumber, value } = address
  const made = typeOfNumber === 'alphanumeric' ? 'x'.repeat(Math.min(value.length, 11)) : pseudonyms.of(value)
  return { ...address, value: value === '' ? '' : made }
}

function redactedTime(time: TimeStamp | InvalidTimeStamp): TimeStamp {
  const zoneQuarters = 'invalid' in time ? 0 : time.zoneQuarters
  return { year: 2024, month: 1, day: 1, hour: 0, minute: 0, second: 0, zoneQuarters }
}

/** Keeps the length of the user data. Of its header, keeps only the elements for concatenation and ports. */
function redactedUserData({ alphabet, compressed, header, units }: UserData): UserData {
  const kept = header?.broken === false ? header.elements.filter(({ identifier }) => keptElements.has(identifier)) : []
  const x = { gsm7: [0x78], ucs2: [0x00, 0x78], octets: [0x00] }[alphabet]
  return {
    alphabet,
    ...(compressed === true && { compressed }),
    header: kept.length === 0 ? undefined : userDataHeaderOf(kept),
    units: Uint8Array.from(units, (_, at) => (compressed === true ? 0 : (x[at % x.length] ?? 0))),
  }
}

/** 23.040 §9.2.3.24: concatenation with 8 and 16 bits, ports with 8 and 16 bits, national languages. */
const keptElements: ReadonlySet<number> = new Set([0x00, 0x08, 0x04, 0x05, 0x24, 0x25])

/** A message from the number +999000, with an empty text. */
const unreadable: RedactedPdu = { hex: '0004069199090000004210100000000000', tpduLength: 16 }
