import { fitsFrame } from '../connection/frame-text.ts'

/**
 * The agent's side of the events: which of them the relay has, which are under way, which are next. The events stand in
 * the journal alone; here are their numbers.
 *
 *   first … mark … sent … tail      on disk at the relay ≤ mark ≤ under way ≤ sent ≤ waiting ≤ tail
 */
export interface EventOutbox {
  /** The oldest event that the journal still holds: one more than `tail` when there is none. */
  readonly first: number
  readonly tail: number
  readonly mark: number
  /** Sent on this connection. */
  readonly sent: number
  /** What is under way, by the last event of each frame and its length. */
  readonly inFlight: readonly { readonly upto: number; readonly length: number }[]
  /** The journal was asked for the events from here on. */
  readonly readingFrom: number | undefined
  /** Ticks since the relay acknowledged anything, while something is under way. */
  readonly unacknowledgedTicks: number
}

/** As the journal keeps it: the JSON text is written once, when the event is made. */
export interface JournaledEvent {
  readonly text: string
  readonly tag: string
}

const mostEventsAtOnce = 64
const mostCharactersAtOnce = 65_536
/** A relay takes several times as much before it cuts the connection. */
const mostCharactersFlying = 524_288

/** `mostCharacters` of JSON, but one event at least. */
export interface Reading {
  readonly from: number
  readonly most: number
  readonly mostCharacters: number
}

export function openOutbox(journal: Pick<EventOutbox, 'first' | 'tail' | 'mark'>): EventOutbox {
  const { first, tail, mark } = journal
  return { first, tail, mark, sent: mark, inFlight: [], readingFrom: undefined, unacknowledgedTicks: 0 }
}

/** The relay has everything up to `mark`, and what else was sent may have been lost on the way. */
export function resume(outbox: EventOutbox, mark: number): EventOutbox {
  return { ...outbox, mark, sent: mark, inFlight: [], readingFrom: undefined, unacknowledgedTicks: 0 }
}

/** What to ask the journal for now, if anything. */
export function nextReading(outbox: EventOutbox, window: number): Reading | undefined {
  const { sent, tail, mark, first, readingFrom, inFlight } = outbox
  if (readingFrom !== undefined || inFlight.reduce((sum, { length }) => sum + length, 0) > mostCharactersFlying) {
    return undefined
  }
  const from = Math.max(sent + 1, first)
  const most = Math.min(mostEventsAtOnce, mark + window - sent, tail - from + 1)
  return most < 1 ? undefined : { from, most, mostCharacters: mostCharactersAtOnce }
}

/** What was being read may be gone: then the answer begins later than asked, and is not taken. */
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

/** How long the relay has not acknowledged anything, in ticks. */
export function tickOutbox(outbox: EventOutbox): EventOutbox {
  if (outbox.sent === outbox.mark)
    return outbox.unacknowledgedTicks === 0 ? outbox : { ...outbox, unacknowledgedTicks: 0 }
  return { ...outbox, unacknowledgedTicks: outbox.unacknowledgedTicks + 1 }
}

export interface EventFrame {
  readonly upto: number
  readonly text: string
}

/** The frames for these events, each within the size that the other end takes. */
export function eventFrames(sent: number, from: number, events: readonly JournaledEvent[]): readonly EventFrame[] {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return []
  const skipped = from - sent - 1
  const list = events.map(({ text }) => text).join(',')
  const gap = skipped > 0 ? `"skipped":${skipped},` : ''
  const text = `{"type":"events","from":${from},${gap}"tag":${JSON.stringify(last.tag)},"events":[${list}]}`
  if (fitsFrame(text)) return [{ upto: from + events.length - 1, text }]
  if (events.length === 1) return eventFrames(sent, from, [{ text: tooLarge, tag: first.tag }])
  const half = Math.ceil(events.length / 2)
  return [
    ...eventFrames(sent, from, events.slice(0, half)),
    ...eventFrames(from + half - 1, from + half, events.slice(half)),
  ]
}

/** Takes the place of an event that no frame can hold: it must not hold up all that come after it. */
const tooLarge = JSON.stringify({ kind: 'too-large' })
