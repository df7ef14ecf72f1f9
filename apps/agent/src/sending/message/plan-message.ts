import { isXmlText } from '@smsgw/modem/hilink/xml'
import { addressFromText } from '@smsgw/sms/fields/address'
import { relativeFromSeconds } from '@smsgw/sms/fields/validity-period'
import { hexFromOctets } from '@smsgw/sms/octets'
import { PduEncodeError } from '@smsgw/sms/pdu-error'
import { type Segmentation, segment, segmentData } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import type { SendingSim } from '../sending-sim.ts'
import type { Planned } from '../sending-state.ts'
import type { ClearContent } from './clear-content.ts'

/** Encodes a message as PDUs. The plan is stored, so that a restart changes nothing about the message. */
export function planMessage(message: {
  readonly content: ClearContent
  readonly destination: string
  readonly requestsReport: boolean
  /** The reference of a long message. */
  readonly reference: number
  /** How long the network may try to deliver the message; if undefined, the network decides. */
  readonly validForSeconds: number | undefined
  readonly sim: Pick<SendingSim, 'simNumber' | 'iccid' | 'sendsText'>
}): Planned {
  const { content, requestsReport, validForSeconds } = message
  const { simNumber, iccid } = message.sim
  try {
    const destination = addressFromText(message.destination)
    if (destination.typeOfNumber === 'alphanumeric') {
      const reason = 'the phone number cannot be dialled; use digits, with a leading + for the international format'
      return { ok: false, code: 'unwritable', reason }
    }
    if (message.sim.sendsText) return planText(message)
    const { parts, dataCodingScheme } = segmented(content, message.reference)
    const planned = parts.map((userData) => {
      const { octets, tpduLength } = encodeForModem({
        kind: 'submit',
        rejectDuplicates: false,
        replyPath: false,
        statusReportRequest: requestsReport,
        messageReference: 0,
        destination,
        protocolIdentifier: 0,
        dataCodingScheme,
        // The shortest validity period is five minutes. If less time remains, the message may still expire in the
        // queue.
        validityPeriod: validForSeconds === undefined ? undefined : relativeFromSeconds(validForSeconds),
        userData,
      })
      return { pdu: hexFromOctets(octets), tpduLength }
    })
    return {
      ok: true,
      plan: { simNumber, iccid, destination: message.destination, requestsReport, parts: planned },
    }
  } catch (error) {
    if (!(error instanceof PduEncodeError)) throw error
    return { ok: false, code: 'unwritable', reason: `the message cannot be encoded as SMS: ${error.message}` }
  }
}

/** A HiLink stick accepts the whole text. The stick encodes the PDUs itself, and does not request delivery reports. */
function planText({ content, destination, sim }: Parameters<typeof planMessage>[0]): Planned {
  const { simNumber, iccid } = sim
  if (content.kind !== 'text') {
    const reason = `the modem of SIM ${simNumber} has only a web interface (HiLink), which cannot send data messages`
    return { ok: false, code: 'unwritable', reason }
  }
  if (!isXmlText(content.text)) {
    const reason = `the modem of SIM ${simNumber} has only a web interface (HiLink), which cannot send control characters`
    return { ok: false, code: 'unwritable', reason }
  }
  const parts = [{ pdu: '', tpduLength: 0, text: content.text }]
  return { ok: true, plan: { simNumber, iccid, destination, requestsReport: false, parts } }
}

function segmented(content: ClearContent, reference: number): Segmentation {
  if (content.kind === 'text') return segment(content.text, { reference })
  // The source port equals the destination port, as in messages from phones. Most receivers ignore the source port.
  return segmentData(content.data, { reference, ports: { destination: content.port, source: content.port, width: 16 } })
}

/**
 * The references of long messages. Consecutive messages to a number have different references, so a phone never joins
 * parts of two messages.
 */
export class References {
  readonly #random: () => number
  readonly #last = new Map<string, number>()

  /** @param random returns a number from 0 up to, but not including, 1 */
  constructor(random: () => number) {
    this.#random = random
  }

  next(destination: string): number {
    const last = this.#last.get(destination)
    const next = last === undefined ? Math.floor(this.#random() * 256) : (last + 1) % 256
    this.#last.delete(destination)
    this.#last.set(destination, next)
    const [oldest] = this.#last.keys()
    if (this.#last.size > mostNumbers && oldest !== undefined) this.#last.delete(oldest)
    return next
  }
}

const mostNumbers = 10_000
