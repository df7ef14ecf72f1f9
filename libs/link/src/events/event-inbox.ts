import { type AgentEvent, agentEvent } from '@smsgw/contract/link/event'
import type { EventsFrame } from '@smsgw/contract/link/frame'
import { inWords, problemOf } from '../connection/frame-text.ts'

/**
 * The events of one agent at the relay. The states of an event: received, being stored, on disk. One batch is stored at
 * a time, and events that arrive meanwhile form the next batch.
 */
export interface EventInbox {
  /** The number of the last event on disk. */
  readonly mark: number
  /** The number of the last event received, in order and without gaps. */
  readonly received: number
  readonly storing: ReceivedBatch | undefined
  readonly waiting: readonly ReceivedBatch[]
  /**
   * True if a replay from `received + 1` was requested. Other events are ignored, because the agent sent them before it
   * received the request.
   */
  readonly isReplaying: boolean
  /** True if storing failed and will be repeated after a pause. */
  readonly isPaused: boolean
  /** True if a device that reports all the time has to wait before its next batch, unless a large batch is waiting. */
  readonly isHeld: boolean
}

export interface ReceivedBatch {
  readonly from: number
  /** The number of events before `from` that no longer exist. The mark skips them. */
  readonly skipped: number
  readonly events: readonly ReadEvent[]
  /** The tag of the last event. */
  readonly tag: string
  /** The length of the frames in characters. */
  readonly length: number
}

/**
 * An event, or the reason why it is invalid. An invalid event is logged and acknowledged, because the event would be
 * just as invalid if the agent repeated it.
 */
export type ReadEvent = { readonly event: AgentEvent } | { readonly problem: string }

/** The most events that one transaction stores. */
const mostStoredAtOnce = 512
/** For a batch of this size, waiting for more events has no advantage. */
const largeBatch = 256
const mostCharacters = 4_194_304

export function openInbox(mark: number): EventInbox {
  return { mark, received: mark, storing: undefined, waiting: [], isReplaying: false, isPaused: false, isHeld: false }
}

export interface FrameFacts {
  /** The number of characters of the frame. */
  readonly length: number
  /** True if the frame comes from an agent in the same process, whose events need no check. */
  readonly areValid: boolean
}

export function acceptEvents(
  inbox: EventInbox,
  frame: EventsFrame,
  { length, areValid }: FrameFacts,
): EventInbox | 'gap' {
  const last = frame.from + frame.events.length - 1
  // All these events were received earlier. The agent sent them again before it read the acknowledgement.
  if (last <= inbox.received) return inbox
  const begins = frame.from - (frame.skipped ?? 0)
  if (begins > inbox.received + 1) return inbox.isReplaying ? inbox : 'gap'
  const known = Math.max(0, inbox.received + 1 - frame.from)
  const from = frame.from + known
  const batch: ReceivedBatch = {
    from,
    skipped: from - inbox.received - 1,
    events: frame.events.slice(known).map(areValid ? (event) => ({ event: event as AgentEvent }) : receiveEvent),
    tag: frame.tag,
    length,
  }
  return { ...inbox, received: last, waiting: [...inbox.waiting, batch], isReplaying: false }
}

/** Returns true if the agent has sent more than the window allows. */
export function isOverfull({ storing, waiting }: EventInbox, window: number): boolean {
  const batches = storing ? [storing, ...waiting] : waiting
  return countEvents(batches) > window || batches.reduce((sum, { length }) => sum + length, 0) > mostCharacters
}

/** Starts to store the next batch, if there is one and no batch is being stored. */
export function nextBatch(inbox: EventInbox): EventInbox {
  const [first, ...others] = inbox.waiting
  if (inbox.storing !== undefined || first === undefined || inbox.isPaused) return inbox
  if (inbox.isHeld && countEvents(inbox.waiting) < largeBatch) return inbox
  let batch = first
  while (others[0] !== undefined && canJoin(batch, others[0])) batch = joined(batch, others.shift() as ReceivedBatch)
  return { ...inbox, storing: batch, waiting: others }
}

/** `isHeld`: the next batch waits until `release`, so that it contains more events. */
export function batchStored(inbox: EventInbox, mark: number, isHeld: boolean): EventInbox {
  return { ...inbox, mark, storing: undefined, isHeld }
}

export function release(inbox: EventInbox): EventInbox {
  return { ...inbox, isHeld: false }
}

export function storeFailed(inbox: EventInbox): EventInbox {
  const { storing, waiting } = inbox
  return storing ? { ...inbox, storing: undefined, waiting: [storing, ...waiting], isPaused: true } : inbox
}

/** Requests all events after the mark again, because the store has fewer events than it acknowledged. */
export function restartFrom(mark: number): EventInbox {
  return { ...openInbox(mark), isReplaying: true }
}

function countEvents(batches: readonly ReceivedBatch[]): number {
  return batches.reduce((sum, { events }) => sum + events.length, 0)
}

function canJoin(one: ReceivedBatch, next: ReceivedBatch): boolean {
  return next.skipped === 0 && one.events.length + next.events.length <= mostStoredAtOnce
}

function joined(one: ReceivedBatch, next: ReceivedBatch): ReceivedBatch {
  return { ...one, events: [...one.events, ...next.events], tag: next.tag, length: one.length + next.length }
}

function receiveEvent(value: unknown): ReadEvent {
  const parsed = agentEvent.safeParse(value, inWords)
  return parsed.success ? { event: parsed.data } : { problem: problemOf(parsed.error.issues) }
}
