import type { AgentEvent } from '@smsgw/contract/link/event'
import type { JournaledEvent } from '@smsgw/link/events/event-outbox'
import type { EncodedChange, WrittenChanges } from './apply-change.ts'
import type { Change } from './change.ts'
import type { EventTexts } from './read.ts'

/**
 * Keeps the texts of the newest events in memory, so that the link does not have to read them from the journal. The
 * events are consecutive. Only the journal's thread can read the other contents of the journal.
 */
export class FreshEvents {
  #from = 1
  #events: JournaledEvent[] = []

  /** Adds the events of a completed write. */
  add(changes: readonly Change[], encoded: readonly EncodedChange[], { seqs, tags }: WrittenChanges): void {
    // If the journal has a new id, its events have other numbers.
    if (changes.some(({ kind }) => kind === 'journal-renounced')) this.clear()
    let count = 0
    for (const [at, change] of changes.entries()) {
      const written = encoded[at]
      if (change.kind !== 'event' || written?.kind !== 'event') continue
      const [seq, tag] = [seqs[count] as number, tags[count] as string]
      count += 1
      if (seq !== this.#from + this.#events.length) {
        this.#events = []
        this.#from = seq
      }
      const { event } = change
      const { text } = written
      this.#events.push(frequent.has(event.kind) ? { text, tag, event } : { text, tag })
    }
    // Removes many events at once, because each removal moves all later events.
    if (this.#events.length < 2 * mostEvents) return
    const surplus = this.#events.length - mostEvents
    this.#events.splice(0, surplus)
    this.#from += surplus
  }

  /** Returns undefined if one of the events must be read from the journal. */
  read(from: number, most: number): EventTexts | undefined {
    const at = from - this.#from
    if (at < 0 || at + most > this.#events.length) return undefined
    return { from, events: this.#events.slice(at, at + most) }
  }

  clear(): void {
    this.#events = []
  }
}

/**
 * The kinds of events that occur for almost every message. A relay in the same process gets these events as objects, so
 * it does not have to parse their text.
 */
const frequent = new Set<AgentEvent['kind']>([
  'received',
  'processed',
  'part-submitted',
  'part-reported',
  'sent',
  'delivered',
])
/** More events than the link sends at once. */
const mostEvents = 256
