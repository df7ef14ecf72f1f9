import type { Address } from '@smsgw/sms/fields/address'
import { decodeDataCodingScheme } from '@smsgw/sms/fields/data-coding-scheme'
import { octetsFromHex } from '@smsgw/sms/octets'
import { PduDecodeError } from '@smsgw/sms/pdu-error'
import type { Deliver } from '@smsgw/sms/tpdu/deliver'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { decodeIncoming } from '@smsgw/sms/tpdu/tpdu'
import type { Memory } from '../commands/messages/message-storage.ts'

/** Where the driver found a message. */
export type MessageSource =
  | { readonly kind: 'stored'; readonly memory: Memory; readonly index: number }
  /**
   * The modem delivered the message directly and does not store it. `acknowledge`: the modem delivers no further
   * messages until this message is acknowledged.
   */
  | { readonly kind: 'direct'; readonly acknowledge: boolean }

export type Incoming =
  | {
      readonly kind: 'message'
      readonly source: MessageSource
      /** Service centre address and TPDU in hexadecimal digits, upper case, as received. */
      readonly pdu: string
      readonly serviceCentre: Address | undefined
      readonly deliver: Deliver
      /** Class 0: a phone displays the message at once and does not store it. */
      readonly flash: boolean
    }
  | {
      readonly kind: 'status-report'
      readonly source: MessageSource
      readonly pdu: string
      readonly serviceCentre: Address | undefined
      readonly report: StatusReport
    }
  /**
   * The message could not be decoded. The caller must still store this message before deleting it. `pdu` is the line as
   * it was received: hexadecimal digits, or other text if the modem did not send a PDU.
   */
  | { readonly kind: 'unreadable'; readonly source: MessageSource; readonly pdu: string; readonly why: string }

/** Returns undefined for outgoing messages in a memory. */
export function readIncoming(source: MessageSource, pdu: string, stat?: number): Incoming | undefined {
  // 27.005 §3.1: STO UNSENT, STO SENT.
  if (stat === 2 || stat === 3) return undefined
  try {
    const { serviceCentre, tpdu } = decodeIncoming(octetsFromHex(pdu))
    switch (tpdu.kind) {
      case 'deliver': {
        const flash = decodeDataCodingScheme(tpdu.dataCodingScheme).messageClass === 0
        return { kind: 'message', source, pdu, serviceCentre, deliver: tpdu, flash }
      }
      case 'status-report':
        return { kind: 'status-report', source, pdu, serviceCentre, report: tpdu }
      case 'submit-report':
        return undecided(source, pdu, stat)
    }
  } catch (error) {
    // If the modem does not report the direction, a TPDU of type 01 is a SUBMIT.
    if (isTypeOfSubmit(pdu)) return undecided(source, pdu, stat)
    if (error instanceof PduDecodeError) return { kind: 'unreadable', source, pdu, why: error.message }
    throw error
  }
}

/**
 * Modems do not store SUBMIT-REPORTs. If a modem nevertheless delivers one as a received message, the driver reports it
 * as unreadable, so that no message is lost.
 */
function undecided(source: MessageSource, pdu: string, stat: number | undefined): Incoming | undefined {
  if (stat === undefined && source.kind === 'stored') return undefined
  return { kind: 'unreadable', source, pdu, why: 'TP-MTI 01 is not a message from the network' }
}

function isTypeOfSubmit(pdu: string): boolean {
  const serviceCentreLength = Number.parseInt(pdu.slice(0, 2), 16)
  const firstOctet = Number.parseInt(pdu.slice(2 + 2 * serviceCentreLength, 4 + 2 * serviceCentreLength), 16)
  return (firstOctet & 0b11) === 0b01
}
