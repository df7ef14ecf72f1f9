import type { EventsFrame } from '@smsgw/contract/link/frame'
import { type ReceivedEvent, receiveEvent } from './received-event.ts'

/**
 * The relay's side of the events: what has arrived, what is being stored, what is on disk. One batch is stored at a time;
 * what arrives meanwhile is joined and stored with the next commit.
 */
export interface EventIntake {
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

/** Events in one transaction at most. */
const mostStoredAtOnce = 256
const mostCharacters = 4_194_304

export function openIntake(mark: number): EventIntake {
  return { mark, received: mark, storing: undefined, waiting: [], isReplaying: false, isPaused: false }
}

export function takeEvents(intake: EventIntake, frame: EventsFrame, length: number): EventIntake | 'gap' {
  const last = frame.from + frame.events.length - 1
  // All of it is here already: sent again before the acknowledgement was read.
  if (last <= intake.received) return intake
  const begins = frame.from - (frame.skipped ?? 0)
  if (begins > intake.received + 1) return intake.isReplaying ? intake : 'gap'
  const known = Math.max(0, intake.received + 1 - frame.from)
  const from = frame.from + known
  const batch: EventBatch = {
    from,
    skipped: from - intake.received - 1,
    events: frame.events.slice(known).map(receiveEvent),
    tag: frame.tag,
    length,
  }
  return { ...intake, received: last, waiting: [...intake.waiting, batch], isReplaying: false }
}

/** More waits for the disk than an agent that keeps to its window ever sends. */
export function isOverfull({ storing, waiting }: EventIntake, window: number): boolean {
  const batches = storing ? [storing, ...waiting] : waiting
  const events = batches.reduce((sum, batch) => sum + batch.events.length, 0)
  return events > window || batches.reduce((sum, { length }) => sum + length, 0) > mostCharacters
}

/** What is to be stored now, if anything. */
export function nextBatch(intake: EventIntake): EventIntake {
  const [first, ...others] = intake.waiting
  if (intake.storing !== undefined || first === undefined || intake.isPaused) return intake
  let batch = first
  while (others[0] !== undefined && canJoin(batch, others[0])) batch = joined(batch, others.shift() as EventBatch)
  return { ...intake, storing: batch, waiting: others }
}

export function batchStored(intake: EventIntake, mark: number): EventIntake {
  return { ...intake, mark, storing: undefined }
}

export function storeFailed(intake: EventIntake): EventIntake {
  const { storing, waiting } = intake
  return storing ? { ...intake, storing: undefined, waiting: [storing, ...waiting], isPaused: true } : intake
}

/** The store has less than it acknowledged: all that comes after that is asked for again. */
export function restartFrom(mark: number): EventIntake {
  return { ...openIntake(mark), isReplaying: true }
}

function canJoin(one: EventBatch, next: EventBatch): boolean {
  return next.skipped === 0 && one.events.length + next.events.length <= mostStoredAtOnce
}

function joined(one: EventBatch, next: EventBatch): EventBatch {
  return { ...one, events: [...one.events, ...next.events], tag: next.tag, length: one.length + next.length }
}
