import { addressFromText } from '@smsgw/sms/address'
import { hexFromOctets } from '@smsgw/sms/octets'
import { PduEncodeError } from '@smsgw/sms/pdu-error'
import { type Segmentation, segment, segmentData } from '@smsgw/sms/segment'
import { encodeForModem } from '@smsgw/sms/tpdu'
import { relativeFromSeconds } from '@smsgw/sms/validity-period'
import type { Plan } from '../journal/change.ts'
import type { ClearContent } from './clear-content.ts'

/** The PDUs of a message, decided once: what is sent after a restart is what was meant before it. */
export function planMessage(message: {
  readonly content: ClearContent
  readonly destination: string
  readonly requestsReport: boolean
  /** Of a long message; another for the next one to the same number. */
  readonly reference: number
  /** How long the network may keep trying; undefined: as long as it likes. */
  readonly validForSeconds: number | undefined
  readonly sim: { readonly simNumber: number; readonly iccid: string }
}): PlanOutcome {
  const { content, requestsReport, validForSeconds } = message
  try {
    const destination = addressFromText(message.destination)
    if (destination.typeOfNumber === 'alphanumeric') {
      return {
        ok: false,
        reason: 'the number cannot be dialled: write digits, with a + in front of an international one',
      }
    }
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
        // The scale begins at five minutes: a shorter life ends in the queue, not in the network.
        validityPeriod: validForSeconds === undefined ? undefined : relativeFromSeconds(validForSeconds),
        userData,
      })
      return { pdu: hexFromOctets(octets), tpduLength }
    })
    return {
      ok: true,
      plan: { ...message.sim, destination: message.destination, requestsReport, parts: planned },
    }
  } catch (error) {
    if (error instanceof PduEncodeError) return { ok: false, reason: `it cannot be written as SMS: ${error.message}` }
    throw error
  }
}

export type PlanOutcome = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly reason: string }

function segmented(content: ClearContent, reference: number): Segmentation {
  if (content.kind === 'text') return segment(content.text, { reference })
  // An application port of the sender means nothing to most receivers; the same one is what phones put there.
  return segmentData(content.data, { reference, ports: { destination: content.port, source: content.port, width: 16 } })
}
