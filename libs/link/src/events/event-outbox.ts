import type { AgentEvent } from '@smsgw/contract/link/event'
import type { EventsFrame } from '@smsgw/contract/link/frame'
import { fitsFrame } from '../connection/frame-text.ts'

/**
 * The state of events at the agent. Contains only numbers, because the events themselves are in the journal.
 *
 *   first … mark     stored by the relay
 *   mark … sent      in flight
 *   sent … tail      pending
 */
export interface EventOutbox {
  /** The oldest event in the journal; `tail` + 1 if there is none. */
  readonly first: number
  readonly tail: number
  readonly mark: number
  /** The last event that was sent on this connection. */
  readonly sent: number
  /** Frames in flight. `upto` is the last event in the frame. */
  readonly inFlight: readonly { readonly upto: number; readonly length: number }[]
  /** The number from which the app is reading events. */
  readonly readingFrom: number | undefined
  /** The number of ticks since the last acknowledgement, while events are in flight. */
  readonly unacknowledgedTicks: number
}

/** An event as stored in the journal. Its JSON text is created only once. */
export interface JournaledEvent {
  readonly text: string
  readonly tag: string
  /** The event, if it is still in memory. */
  readonly event?: AgentEvent | undefined
}

const mostEventsAtOnce = 64
/** The largest amount of data in flight. A relay accepts several times as much. */
const mostCharactersFlying = 524_288
/**
 * The number of characters that a connection of 8 KB per second carries in 0.4 s. If no more characters than this per
 * second of a tick are in flight, their acknowledgement is expected within two ticks.
 */
const fewCharactersPerTickSecond = 3_277
/** With shorter ticks, the answer over a mobile network may take longer than two ticks. */
const leastTickSeconds = 1

/** At most `most` events, beginning with the event `from`. */
export interface EventRange {
  readonly from: number
  readonly most: number
}

export function openOutbox(journal: Pick<EventOutbox, 'first' | 'tail' | 'mark'>): EventOutbox {
  const { first, tail, mark } = journal
  return { first, tail, mark, sent: mark, inFlight: [], readingFrom: undefined, unacknowledgedTicks: 0 }
}

/**
 * Continues with the event after `mark`, the last event that the relay has stored. Later events may have been sent and
 * lost.
 */
export function resume(outbox: EventOutbox, mark: number): EventOutbox {
  return { ...outbox, mark, sent: mark, inFlight: [], readingFrom: undefined, unacknowledgedTicks: 0 }
}

/** Returns the events to read now, if any. */
export function nextReading(outbox: EventOutbox, window: number): EventRange | undefined {
  const { sent, tail, mark, first, readingFrom, inFlight } = outbox
  if (readingFrom !== undefined || charactersInFlight(inFlight) > mostCharactersFlying) return undefined
  const from = Math.max(sent + 1, first)
  const most = Math.min(mostEventsAtOnce, mark + window - sent, tail - from + 1)
  return most < 1 ? undefined : { from, most }
}

/**
 * Records that the events before `first` were removed. If some of them are being read, the answer will start later than
 * requested, and is ignored.
 */
export function prune(outbox: EventOutbox, first: number): EventOutbox {
  const { readingFrom } = outbox
  const isGone = readingFrom !== undefined && readingFrom < first
  return { ...outbox, first: Math.max(outbox.first, first), readingFrom: isGone ? undefined : readingFrom }
}

export function acknowledge(outbox: EventOutbox, upto: number): EventOutbox {
  if (upto <= outbox.mark) return outbox
  const inFlight = outbox.inFlight.filter((frame) => frame.upto > upto)
  return { ...outbox, mark: upto, inFlight, unacknowledgedTicks: 0 }
}

export function markSent(outbox: EventOutbox, frames: readonly EventFrame[]): EventOutbox {
  const inFlight = [...outbox.inFlight, ...frames.map(({ upto, text }) => ({ upto, length: text.length }))]
  return { ...outbox, sent: frames.at(-1)?.upto ?? outbox.sent, inFlight, readingFrom: undefined }
}

/** Counts the ticks without an acknowledgement. */
export function tickOutbox(outbox: EventOutbox): EventOutbox {
  if (outbox.sent === outbox.mark)
    return outbox.unacknowledgedTicks === 0 ? outbox : { ...outbox, unacknowledgedTicks: 0 }
  return { ...outbox, unacknowledgedTicks: outbox.unacknowledgedTicks + 1 }
}

/**
 * Returns true if unacknowledged events are in flight, and even a slow connection carries these events well within two
 * ticks.
 */
export function waitsForFewEvents({ unacknowledgedTicks, inFlight }: EventOutbox, tickSeconds: number): boolean {
  if (unacknowledgedTicks === 0 || tickSeconds < leastTickSeconds) return false
  return charactersInFlight(inFlight) <= fewCharactersPerTickSecond * tickSeconds
}

function charactersInFlight(inFlight: EventOutbox['inFlight']): number {
  return inFlight.reduce((sum, { length }) => sum + length, 0)
}

export interface EventFrame {
  readonly upto: number
  readonly text: string
  /** The same frame, if all its events are still in memory. */
  readonly frame?: EventsFrame
}

/** Returns the frames for these events, each within the maximum size. */
export function eventFrames(sent: number, from: number, events: readonly JournaledEvent[]): readonly EventFrame[] {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return []
  const skipped = from - sent - 1
  // Concatenates the texts with a template instead of `join`. V8 then copies them only when the concatenated text is
  // read.
  const list = events.reduce((sum, { text }) => (sum === '' ? text : `${sum},${text}`), '')
  const gap = skipped > 0 ? `"skipped":${skipped},` : ''
  const text = `{"type":"events","from":${from},${gap}"tag":${JSON.stringify(last.tag)},"events":[${list}]}`
  if (fitsFrame(text)) {
    const inMemory = events.flatMap(({ event }) => event ?? [])
    const frame = { type: 'events', from, ...(skipped > 0 && { skipped }), tag: last.tag, events: inMemory } as const
    return [{ upto: from + events.length - 1, text, ...(inMemory.length === events.length && { frame }) }]
  }
  if (events.length === 1) return eventFrames(sent, from, [{ text: tooLarge, tag: first.tag }])
  const half = Math.ceil(events.length / 2)
  return [
    ...eventFrames(sent, from, events.slice(0, half)),
    ...eventFrames(from + half - 1, from + half, events.slice(half)),
  ]
}

/** Replaces an event that does not fit into a frame, so that later events are not blocked. */
const tooLarge = JSON.stringify({ kind: 'too-large' })
