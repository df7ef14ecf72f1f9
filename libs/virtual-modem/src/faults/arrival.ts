import { textFromAddress } from '@smsgw/sms/fields/address'
import {
  type Concatenation,
  concatenationElement,
  concatenationOf,
  userDataHeaderOf,
} from '@smsgw/sms/fields/user-data-header'
import { decodeDeliver, encodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { decoded } from '../messaging/pdu.ts'
import type { FaultControl } from './fault-control.ts'

/**
 * `lost`: the message is dropped, but acknowledged to the network. `later`: it is swapped with the next message.
 * `again`: it is delivered twice.
 */
export type ArrivalOutcome = 'arrives' | 'lost' | 'later' | 'again'

/** Applies faults to messages on their way from the network to the modem. */
export class ArrivalFaults {
  readonly #faults: FaultControl
  readonly #referenceOf = new Map<string, number>()
  readonly #seen = new WeakSet<Uint8Array>()

  constructor(faults: FaultControl) {
    this.#faults = faults
  }

  /** Each message is delayed or repeated at most once. Otherwise, two messages could overtake each other endlessly. */
  outcomeOf(tpdu: Uint8Array): ArrivalOutcome {
    if (this.#seen.has(tpdu)) return 'arrives'
    const outcome = this.#draw(tpdu)
    if (outcome === 'later' || outcome === 'again') this.#seen.add(tpdu)
    return outcome
  }

  #draw(tpdu: Uint8Array): ArrivalOutcome {
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

  /** Returns the message with the concatenation reference that a fault sets. */
  withFaultyReference(tpdu: Uint8Array): Uint8Array {
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
