import type { Slot, Stamp } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { InboundRecord } from '../journal/read.ts'
import { derivedId } from './derived-id.ts'

/**
 * Whether a PDU is known. What came twice may be
 *
 * - one message read twice, from the slot in which it lies until it is deleted;
 * - one message delivered twice: the network missed the acknowledgement. It waits for its timers before it tries again,
 *   12 s at the least (24.011), and the copy is the same to the last octet, the centre's time stamp included;
 * - two messages that are alike, from a sender that repeats itself within the second that a time stamp counts.
 *
 * So the same octets in the same slot are one message; elsewhere, or straight from the network, they are a copy when they
 * come after the timers, and another message when they come sooner. Messages that gathered while nobody read them are
 * read together and are taken for as many as there are: losing one would be worse than showing one twice.
 */
export async function identify(
  journal: Journal,
  pdu: { readonly iccid: string; readonly pdu: string; readonly slot: Slot | undefined; readonly at: Stamp },
): Promise<Identity> {
  for (let ordinal = 0; ; ordinal += 1) {
    const pduId = derivedId(pdu.iccid, pdu.pdu, String(ordinal))
    const known = await journal.read('inbound-by-id', { pduId })
    if (known === undefined) return { kind: 'new', pduId }
    if (isSameSlot(known.slot, pdu.slot)) return { kind: 'read-again', pduId }
    if (!cameSoonAfter(known, pdu.at) || ordinal === mostAlike) return { kind: 'copy', pduId }
  }
}

export type Identity =
  | { readonly kind: 'new'; readonly pduId: string }
  /** The very one that is known, still in its slot. */
  | { readonly kind: 'read-again'; readonly pduId: string }
  /** Of the known one; to be cleared away. */
  | { readonly kind: 'copy'; readonly pduId: string }

function isSameSlot(known: Slot | undefined, slot: Slot | undefined): boolean {
  return known !== undefined && known.memory === slot?.memory && known.index === slot.index
}

function cameSoonAfter({ received }: InboundRecord, at: Stamp): boolean {
  // Whoever has restarted in between has read all that was there, and has lost its own clock's count.
  const passedMs =
    received.bootId === at.bootId ? at.monotonicMs - received.monotonicMs : Math.abs(at.wallMs - received.wallMs)
  return passedMs < shortestRedeliveryMs
}

const shortestRedeliveryMs = 12_000
const mostAlike = 100
