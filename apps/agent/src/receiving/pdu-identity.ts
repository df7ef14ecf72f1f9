import { hash } from 'node:crypto'
import type { Slot, Stamp } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { InboundRecord } from '../journal/read.ts'

/**
 * Determines whether a PDU was received before. Equal octets may be
 *
 * - one message read twice, from the slot where it stays until it is deleted;
 * - one message delivered twice, because the network did not receive the acknowledgement. The network repeats the
 *   message after at least 12 s (24.011) with the same octets, including the time stamp of the service centre;
 * - two equal messages that a sender sent within one second, the resolution of the time stamp.
 *
 * Equal octets in the same slot are therefore one message. Equal octets in another slot, or directly from the network,
 * are a copy if at least 12 s have passed, and otherwise a new message. Messages that were stored while the agent was
 * stopped are read together and count as separate messages, because losing a message would be worse than reporting a
 * message twice.
 */
export async function identifyPdu(
  journal: Journal,
  pdu: { readonly iccid: string; readonly pdu: string; readonly slot: Slot | undefined; readonly at: Stamp },
): Promise<PduIdentity> {
  for (let ordinal = 0; ; ordinal += 1) {
    const pduId = derivedPduId(pdu.iccid, pdu.pdu, String(ordinal))
    const known = await journal.read('inbound-by-id', { pduId })
    if (known === undefined) return { kind: 'new', pduId }
    if (isSameSlot(known.slot, pdu.slot)) return { kind: 'read-again', pduId }
    if (!cameSoonAfter(known, pdu.at) || ordinal === mostAlike) return { kind: 'copy', pduId }
  }
}

export type PduIdentity =
  | { readonly kind: 'new'; readonly pduId: string }
  /** The message is known and still in its slot. */
  | { readonly kind: 'read-again'; readonly pduId: string }
  /** The PDU is a copy of a known message and is deleted. */
  | { readonly kind: 'copy'; readonly pduId: string }

function isSameSlot(known: Slot | undefined, slot: Slot | undefined): boolean {
  return known !== undefined && known.memory === slot?.memory && known.index === slot.index
}

function cameSoonAfter({ received }: InboundRecord, at: Stamp): boolean {
  // The monotonic clock can be used only within one process, because it starts again in each process.
  const passedMs =
    received.bootId === at.bootId ? at.monotonicMs - received.monotonicMs : Math.abs(at.wallMs - received.wallMs)
  return passedMs < shortestRedeliveryMs
}

const shortestRedeliveryMs = 12_000
const mostAlike = 100

/** Returns the id of a PDU whose octets were not received before. */
export function firstIdOf(iccid: string, pdu: string): string {
  return derivedPduId(iccid, pdu, '0')
}

/** Returns an id of 27 characters (A-Za-z0-9_-) that depends only on the facts, so an event always has the same id. */
export function derivedPduId(...facts: readonly string[]): string {
  return hash('sha256', JSON.stringify(facts), 'base64url').slice(0, 27)
}
