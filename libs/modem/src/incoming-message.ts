import type { Address } from '@smsgw/sms/address'
import { decodeDataCodingScheme } from '@smsgw/sms/data-coding-scheme'
import type { Deliver } from '@smsgw/sms/deliver'
import { octetsFromHex } from '@smsgw/sms/octets'
import { PduDecodeError } from '@smsgw/sms/pdu-error'
import type { StatusReport } from '@smsgw/sms/status-report'
import { decodeIncoming } from '@smsgw/sms/tpdu'
import type { Memory } from './commands/message-storage.ts'

/** Where a message was found. */
export type MessageSource =
  | { readonly kind: 'stored'; readonly memory: Memory; readonly index: number }
  /**
   * Handed straight to us: it lies nowhere else. `acknowledge`: the modem waits to be told that it is safe, and
   * delivers nothing more until then.
   */
  | { readonly kind: 'direct'; readonly acknowledge: boolean }

export type Incoming =
  | {
      readonly kind: 'message'
      readonly source: MessageSource
      /** Service centre address and TPDU in hexadecimal digits, upper case: what it is, whatever we make of it. */
      readonly pdu: string
      readonly serviceCentre: Address | undefined
      readonly deliver: Deliver
      /** Class 0: to be shown at once, and stored nowhere by a phone. */
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
   * Not as the standard says. It is a message all the same: keep it before it is deleted. `pdu` is what came, in
   * hexadecimal digits if it was a PDU at all.
   */
  | { readonly kind: 'unreadable'; readonly source: MessageSource; readonly pdu: string; readonly why: string }

/** Undefined for what is in the memory and did not come from the network: messages to be sent, and sent. */
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
    // Type 01 is a SUBMIT when the modem does not say which way it went.
    if (isTypeOfSubmit(pdu)) return undecided(source, pdu, stat)
    if (error instanceof PduDecodeError) return { kind: 'unreadable', source, pdu, why: error.message }
    throw error
  }
}

/** A SUBMIT-REPORT never lies in a memory; read or unread it says that it was received, so it is kept as it is. */
function undecided(source: MessageSource, pdu: string, stat: number | undefined): Incoming | undefined {
  if (stat === undefined && source.kind === 'stored') return undefined
  return { kind: 'unreadable', source, pdu, why: 'TP-MTI 01 is no message from the network' }
}

function isTypeOfSubmit(pdu: string): boolean {
  const serviceCentreLength = Number.parseInt(pdu.slice(0, 2), 16)
  const firstOctet = Number.parseInt(pdu.slice(2 + 2 * serviceCentreLength, 4 + 2 * serviceCentreLength), 16)
  return (firstOctet & 0b11) === 0b01
}
