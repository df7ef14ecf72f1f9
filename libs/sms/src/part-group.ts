import type { Address } from './address.ts'
import { elapsedMs, type HeldPart, type ReceivedPart } from './held-part.ts'

/** Parts that are taken for one message, as plain JSON. */
export interface PartGroup {
  /** What all parts of a message have in common, and messages that reuse a reference too. */
  readonly key: string
  /** SIM and sender. */
  readonly source: string
  readonly sim: string
  readonly sender: Address
  readonly total: number
  readonly phase: 'gathering' | 'released' | 'complete'
  /** The part that it began with: its name as long as it has no id. */
  readonly startedBy: string
  /** Null until the message is first spoken of. */
  readonly groupId: string | null
  /** In order of their sequence, of each at most one. */
  readonly parts: readonly HeldPart[]
  /** When the last part that was new came. */
  readonly lastAtMs: number
  /** The group, by what it was started by, that has parts equal to all of these: they may be copies, sent again. */
  readonly repeatOf: string | null
}

export function groupWith(part: ReceivedPart, held: HeldPart, repeatOf: string | null): PartGroup {
  const { sim, sender, concatenation } = part
  return {
    key: groupKey(part),
    source: JSON.stringify([sim, sender.typeOfNumber, sender.value]),
    sim,
    sender,
    total: concatenation.total,
    phase: 'gathering',
    startedBy: held.partId,
    groupId: null,
    parts: [held],
    lastAtMs: held.atMs,
    repeatOf,
  }
}

export function grown(group: PartGroup, held: HeldPart): PartGroup {
  return { ...group, phase: 'gathering', parts: inSequence([...group.parts, held]), lastAtMs: held.atMs }
}

/** Two groups that turn out to be one message. */
export function united(one: PartGroup, other: PartGroup): PartGroup {
  const [message, rest] = one.repeatOf === null ? [one, other] : [other, one]
  return {
    ...message,
    groupId: message.groupId ?? rest.groupId,
    parts: inSequence([...one.parts, ...other.parts]),
    lastAtMs: Math.max(one.lastAtMs, other.lastAtMs),
  }
}

export function partOf({ phase, parts }: PartGroup, sequence: number): HeldPart | undefined {
  return phase === 'complete' ? parts[sequence - 1] : parts.find((part) => part.sequence === sequence)
}

/** The service centre is no part of it: one network delivers the parts of a message through several. */
export function groupKey({ sim, sender, concatenation }: ReceivedPart): string {
  const { width, reference, total } = concatenation
  return JSON.stringify([sim, sender.typeOfNumber, sender.value, width, reference, total])
}

/**
 * Half the identity of a message, the same however its parts arrive; the other half is its key.
 *
 * A part carries nothing that all parts of its message share and no other message does. References are reused, after
 * 256 messages or at once, by senders that never change theirs; time stamps differ by seconds. Between those two the
 * hour of the earliest stamp is the compromise: any subset of the parts leads to the same hour, unless the message was
 * sent across its end and only one side of it is at hand when the message is first spoken of; that answer then stays.
 * Hours here do not end when those of the clock do, since that is when scheduled messages are sent.
 */
export function hourOf({ parts }: PartGroup): number {
  const earliestMs = Math.min(...parts.map(({ sentMs, atMs }) => sentMs ?? atMs))
  return Math.floor((earliestMs - HOUR_OFFSET_MS) / HOUR_MS)
}

export interface SendingHabits {
  /** The longest time between two parts of a message: a sender may run out of coverage, or into its hourly limit. */
  readonly longestPauseMs: number
  /** How much earlier a later part may have been submitted: parts go out in order, save for one that is tried again. */
  readonly longestDisorderMs: number
}

/**
 * Whether the times allow that the part belongs to the group.
 *
 * The limit on disorder keeps a loss from spreading. With a sender that never changes its reference, the first part of
 * the next message would fill the place of a first part that was lost, its own second part would then be left over for
 * the message after it, and so on: every message from there on made of two.
 */
export function fits(group: PartGroup, part: HeldPart, habits: SendingHabits): boolean {
  const { longestPauseMs, longestDisorderMs } = habits
  return group.parts.every((other) => {
    if (other.sequence === part.sequence) return false
    const [earlier, later] = other.sequence < part.sequence ? [other, part] : [part, other]
    const pauseMs = elapsedMs(earlier, later)
    const knownOrder = earlier.sentMs !== null && later.sentMs !== null
    return pauseMs <= longestPauseMs && pauseMs >= (knownOrder ? -longestDisorderMs : -longestPauseMs)
  })
}

/** Whether each has exactly the parts that the other lacks. */
export function fillsGapsOf(one: PartGroup, other: PartGroup): boolean {
  if (one.key !== other.key || one.parts.length + other.parts.length !== one.total) return false
  const sequences = new Set(one.parts.map(({ sequence }) => sequence))
  return other.parts.every(({ sequence }) => !sequences.has(sequence))
}

/** Whether they came as one message comes, whatever the clocks of the centres say that took them. */
export function cameTogether(parts: readonly HeldPart[], habits: SendingHabits): boolean {
  const sentMs = parts.flatMap((part) => part.sentMs ?? [])
  return span(parts.map(({ atMs }) => atMs)) <= habits.longestDisorderMs && span(sentMs) <= habits.longestPauseMs
}

/** Whether they were sent as one message is sent by a sender that waits for the answer to each part. */
export function sentInOrder(parts: readonly HeldPart[], longestPauseMs: number): boolean {
  const ordered = inSequence(parts)
  return ordered.every((part, i) => {
    const pauseMs = i === 0 ? 0 : elapsedMs(ordered[i - 1]!, part)
    return pauseMs >= 0 && pauseMs <= longestPauseMs
  })
}

export function distanceMs(group: PartGroup, part: HeldPart): number {
  return Math.min(...group.parts.map((other) => Math.abs(elapsedMs(other, part))))
}

function inSequence(parts: readonly HeldPart[]): readonly HeldPart[] {
  return parts.toSorted((a, b) => a.sequence - b.sequence)
}

function span(timesMs: readonly number[]): number {
  return Math.max(...timesMs) - Math.min(...timesMs)
}

const HOUR_MS = 3_600_000
const HOUR_OFFSET_MS = 23 * 60_000
