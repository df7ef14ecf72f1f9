import type { NetworkEvent } from '@smsgw/virtual-modem/network/network'

/** Records the events of network and scenario, keeps the last events, and notifies listeners. */
export class NetworkEvents {
  readonly #recent: EventRecord[] = []
  readonly #listeners = new Set<(record: EventRecord) => void>()

  record(event: WorldEvent): void {
    const record = { epochMs: Date.now(), event }
    this.#recent.push(record)
    if (this.#recent.length > MOST_KEPT) this.#recent.shift()
    for (const listener of this.#listeners) listener(record)
  }

  recent(): readonly EventRecord[] {
    return this.#recent
  }

  /** Returns a function that removes the listener. */
  listen(listener: (record: EventRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

export type WorldEvent = NetworkEvent | { readonly kind: 'step'; readonly step: string; readonly problem?: string }

export interface EventRecord {
  readonly epochMs: number
  readonly event: WorldEvent
}

const MOST_KEPT = 500

/** One line for people. */
export function eventText(event: WorldEvent): string {
  switch (event.kind) {
    case 'accepted': {
      const { destination, messageReference, text, data, part } = event.entry
      const which = part ? ` part ${part.sequence}/${part.total}` : ''
      return `accepted ${messageReference} to ${destination}${which}: ${text ?? data ?? ''}`
    }
    case 'refused':
      return `refused message to ${event.destination}: cause ${event.cause}`
    case 'left':
      return `message from ${event.message.from} arrived at outside phone ${event.message.to}`
    case 'replied':
      return `test number ${event.from} replies to ${event.to}: ${event.text}`
    case 'kept':
      return `message for ${event.msisdn} queued: ${event.reason}`
    case 'arrived':
      return `message arrived at ${event.msisdn}: ${event.tpdu}`
    case 'expired':
      return `message for ${event.msisdn} expired`
    case 'ussd':
      return `USSD ${event.from === 'modem' ? 'from' : 'to'} ${event.msisdn}: ${event.text}`
    case 'coverage':
      return `coverage of ${event.msisdn}: ${event.coverage.operator.name}, stat ${event.coverage.stat}, ${event.coverage.technology}`
    case 'step':
      return event.problem === undefined ? `step ${event.step}` : `step ${event.step} failed: ${event.problem}`
  }
}
