import { textFromAddress } from '@smsgw/sms/address'
import { decodeDeliver, encodeDeliver } from '@smsgw/sms/deliver'
import {
  type Concatenation,
  concatenationElement,
  concatenationOf,
  userDataHeaderOf,
} from '@smsgw/sms/user-data-header'
import type { FaultControl } from '../fault-control.ts'
import { decoded } from '../pdu.ts'
import { fault } from './fault-description.ts'

export const partsFaults = {
  'parts-out-of-order': fault('A part changes places with the one behind it'),
  'part-missing': fault('A part of a long message never arrives; 0: any part', { sequence: 0 }),
  'part-twice': fault('A part of a long message arrives twice'),
  redelivered: fault('A message arrives a second time, as when the network misses the acknowledgement'),
  'report-lost': fault('Status reports never arrive'),
  'same-reference': fault('Long messages of all senders carry the same reference', { reference: 7 }),
  'reference-reused': fault('A sender uses one reference for all of its long messages'),
}

/**
 * `lost`: the network thinks it has arrived. `later`: it changes places with the next one. `again`: it arrives, and
 * then once more.
 */
export type ArrivalFate = 'arrives' | 'lost' | 'later' | 'again'

/** What faults do to messages between the network and the modem. */
export class ArrivalFaults {
  readonly #faults: FaultControl
  readonly #referenceOf = new Map<string, number>()
  readonly #fated = new WeakSet<Uint8Array>()

  constructor(faults: FaultControl) {
    this.#faults = faults
  }

  /** A message is fated once: the second time round it arrives, or two would let each other go first for ever. */
  fateOf(tpdu: Uint8Array): ArrivalFate {
    if (this.#fated.has(tpdu)) return 'arrives'
    const fate = this.#draw(tpdu)
    if (fate === 'later' || fate === 'again') this.#fated.add(tpdu)
    return fate
  }

  #draw(tpdu: Uint8Array): ArrivalFate {
    const faults = this.#faults
    if (((tpdu[0] ?? 0) & 0b11) === statusReportType) return faults.strike('report-lost') ? 'lost' : 'arrives'
    const part =
      faults.standing('part-missing') || faults.standing('part-twice') || faults.standing('parts-out-of-order')
    const concatenation = part && partOf(tpdu)
    if (concatenation) {
      const wanted = faults.standing('part-missing')?.sequence ?? 0
      if ((wanted === 0 || wanted === concatenation.sequence) && faults.strike('part-missing')) return 'lost'
      if (faults.strike('parts-out-of-order')) return 'later'
      if (faults.strike('part-twice')) return 'again'
    }
    return faults.strike('redelivered') ? 'again' : 'arrives'
  }

  /** The message with the reference that a fault gives it. */
  disguise(tpdu: Uint8Array): Uint8Array {
    const faults = this.#faults
    if (!faults.standing('same-reference') && !faults.standing('reference-reused')) return tpdu
    const part = partOf(tpdu)
    if (part === undefined) return tpdu
    const same = faults.strike('same-reference')
    if (same) return withReference(tpdu, same.reference)
    if (!faults.strike('reference-reused')) return tpdu
    const sender = textFromAddress(decodeDeliver(tpdu).originator)
    const reference = this.#referenceOf.get(sender) ?? part.reference
    if (this.#referenceOf.size < mostSenders) this.#referenceOf.set(sender, reference)
    return withReference(tpdu, reference)
  }
}

const statusReportType = 0b10
const mostSenders = 100

function partOf(tpdu: Uint8Array): Concatenation | undefined {
  return decoded(() => concatenationOf(decodeDeliver(tpdu).userData.header))
}

function withReference(tpdu: Uint8Array, reference: number): Uint8Array {
  const deliver = decodeDeliver(tpdu)
  const part = concatenationOf(deliver.userData.header)
  if (part === undefined || deliver.userData.header === undefined) return tpdu
  const renamed = concatenationElement({ ...part, reference: reference & (part.width === 8 ? 0xff : 0xffff) })
  const elements = deliver.userData.header.elements.map((element) =>
    element.identifier === renamed.identifier ? renamed : element,
  )
  return encodeDeliver({ ...deliver, userData: { ...deliver.userData, header: userDataHeaderOf(elements) } })
}
