import { type AgentEvent, agentEvent } from '@smsgw/contract/link/event'
import type { EventsFrame } from '@smsgw/contract/link/frame'
import { problemOf } from '../connection/frame-text.ts'

/**
 * The relay's side of the events: what has arrived, what is being stored, what is on disk. One batch is stored at a time;
 * what arrives meanwhile is joined and stored with the next commit.
 */
export interface EventInbox {
  /** On disk. */
  readonly mark: number
  /** Arrived, in order and without gaps. */
  readonly received: number
  readonly storing: EventBatch | undefined
  readonly waiting: readonly EventBatch[]
  /** The agent was asked to begin again from `received + 1`: what comes before that was sent before it heard. */
  readonly isReplaying: boolean
  /** The store failed: nothing is tried before the pause is over. */
  readonly isPaused: boolean
}

export interface EventBatch {
  readonly from: number
  /** So many before `from` no longer exist: the mark passes them. */
  readonly skipped: number
  readonly events: readonly ReceivedEvent[]
  /** Of the last one. */
  readonly tag: string
  /** Characters that it took to tell them. */
  readonly length: number
}

/** A problem is logged and the event acknowledged, because sending it again would not help. */
export type ReceivedEvent = { readonly event: AgentEvent } | { readonly problem: string }

/** Events in one transaction at most. */
const mostStoredAtOnce = 256
const mostCharacters = 4_194_304

export function openInbox(mark: number): EventInbox {
  return { mark, received: mark, storing: undefined, waiting: [], isReplaying: false, isPaused: false }
}

export function acceptEvents(inbox: EventInbox, frame: EventsFrame, length: number): EventInbox | 'gap' {
  const last = frame.from + frame.events.length - 1
  // All of it is here already: sent again before the acknowledgement was read.
  if (last <= inbox.received) return inbox
  const begins = frame.from - (frame.skipped ?? 0)
  if (begins > inbox.received + 1) return inbox.isReplaying ? inbox : 'gap'
  const known = Math.max(0, inbox.received + 1 - frame.from)
  const from = frame.from + known
  const batch: EventBatch = {
    from,
    skipped: from - inbox.received - 1,
    events: frame.events.slice(known).map(receiveEvent),
    tag: frame.tag,
    length,
  }
  return { ...inbox, received: last, waiting: [...inbox.waiting, batch], isReplaying: false }
}

/** More waits for the disk than an agent that keeps to its window ever sends. */
export function isOverfull({ storing, waiting }: EventInbox, window: number): boolean {
  const batches = storing ? [storing, ...waiting] : waiting
  const events = batches.reduce((sum, batch) => sum + batch.events.length, 0)
  return events > window || batches.reduce((sum, { length }) => sum + length, 0) > mostCharacters
}

/** What is to be stored now, if anything. */
export function nextBatch(inbox: EventInbox): EventInbox {
  const [first, ...others] = inbox.waiting
  if (inbox.storing !== undefined || first === undefined || inbox.isPaused) return inbox
  let batch = first
  while (others[0] !== undefined && canJoin(batch, others[0])) batch = joined(batch, others.shift() as EventBatch)
  return { ...inbox, storing: batch, waiting: others }
}

export function batchStored(inbox: EventInbox, mark: number): EventInbox {
  return { ...inbox, mark, storing: undefined }
}

export function storeFailed(inbox: EventInbox): EventInbox {
  const { storing, waiting } = inbox
  return storing ? { ...inbox, storing: undefined, waiting: [storing, ...waiting], isPaused: true } : inbox
}

/** The store has less than it acknowledged: all that comes after that is asked for again. */
export function restartFrom(mark: number): EventInbox {
  return { ...openInbox(mark), isReplaying: true }
}

function canJoin(one: EventBatch, next: EventBatch): boolean {
  return next.skipped === 0 && one.events.length + next.events.length <= mostStoredAtOnce
}

function joined(one: EventBatch, next: EventBatch): EventBatch {
  return { ...one, events: [...one.events, ...next.events], tag: next.tag, length: one.length + next.length }
}

function receiveEvent(value: unknown): ReceivedEvent {
  const parsed = agentEvent.safeParse(value)
  return parsed.success ? { event: parsed.data } : { problem: problemOf(parsed.error.issues) }
}
