import { createHash } from 'node:crypto'
import type { Slot, Stamp } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { InboundRecord } from '../journal/read.ts'

/**
 * Decides whether a PDU was received before. Equal octets may be
 *
 * - one message read twice, from the slot where it stays until it is deleted;
 * - one message delivered twice, because the network missed the acknowledgement. It repeats after its timers, 12 s at
 *   least (24.011), with the same octets, the time stamp of the service centre included;
 * - two equal messages, from a sender that repeats itself within one second, the resolution of the time stamp.
 *
 * So equal octets in the same slot are one message. In another slot, or direct from the network, they are a copy after
 * the timers and a new message before. Messages that were stored while the agent was stopped are read together and count
 * as separate messages: losing one would be worse than reporting one twice.
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
  /** The known message, still in its slot. */
  | { readonly kind: 'read-again'; readonly pduId: string }
  /** A copy of the known message, to be deleted. */
  | { readonly kind: 'copy'; readonly pduId: string }

function isSameSlot(known: Slot | undefined, slot: Slot | undefined): boolean {
  return known !== undefined && known.memory === slot?.memory && known.index === slot.index
}

function cameSoonAfter({ received }: InboundRecord, at: Stamp): boolean {
  // The monotonic clock starts again with each process.
  const passedMs =
    received.bootId === at.bootId ? at.monotonicMs - received.monotonicMs : Math.abs(at.wallMs - received.wallMs)
  return passedMs < shortestRedeliveryMs
}

const shortestRedeliveryMs = 12_000
const mostAlike = 100

/** Returns the id of an event. It depends on facts alone, so that the same event always has the same id. 27 characters of A-Za-z0-9_-. */
export function derivedId(...facts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 27)
}
