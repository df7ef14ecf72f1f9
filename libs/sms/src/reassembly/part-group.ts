import type { Address } from '../fields/address.ts'
import { elapsedMs, type HeldPart, type ReceivedPart } from './held-part.ts'

/** Parts that are assumed to belong to one message, as plain JSON. */
export interface PartGroup {
  /** The same for all parts of a message, and for all messages that reuse its reference. */
  readonly key: string
  /** The SIM and the sender. */
  readonly source: string
  readonly sim: string
  readonly sender: Address
  readonly total: number
  readonly phase: 'gathering' | 'released' | 'complete'
  /** The id of the first part, which identifies the group until it has a `groupId`. */
  readonly startedBy: string
  /** Null until the message is first announced. */
  readonly groupId: string | null
  /** Ordered by sequence, with at most one part for each sequence number. */
  readonly parts: readonly HeldPart[]
  /** The time when the last new part arrived. */
  readonly lastAtMs: number
  /**
   * If another group contains a copy of each part of this group, this is the `startedBy` of the other group. The parts
   * of this group may then have been sent again by the network.
   */
  readonly repeatOf: string | null
}

export function newGroup(part: ReceivedPart, held: HeldPart, repeatOf: string | null): PartGroup {
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

export function withHeldPart(group: PartGroup, held: HeldPart): PartGroup {
  return { ...group, phase: 'gathering', parts: inSequence([...group.parts, held]), lastAtMs: held.atMs }
}

/** Merges two groups that belong to one message. */
export function mergedGroups(one: PartGroup, other: PartGroup): PartGroup {
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

/** Leaves out the service centre, because a network may deliver the parts of one message through several centres. */
export function groupKey({ sim, sender, concatenation }: ReceivedPart): string {
  const { width, reference, total } = concatenation
  return JSON.stringify([sim, sender.typeOfNumber, sender.value, width, reference, total])
}

/**
 * Returns the hour that, together with the key, identifies a message for any order of its parts.
 *
 * No field is the same in all parts of a message and different in every other message. References repeat after 256
 * messages, or in every message of a sender that never changes its reference, and the time stamps of parts differ by
 * seconds. Therefore the hour of the earliest time stamp is used. Any subset of the parts gives the same hour, with one
 * exception: the message was sent partly before and partly after the end of an hour, and only parts sent after it have
 * arrived at the first announcement. Such a message keeps its first id. The hours start at minute 23, because scheduled
 * messages are often sent exactly on the hour.
 */
export function hourOf({ parts }: PartGroup): number {
  const earliestMs = Math.min(...parts.map(({ sentMs, atMs }) => sentMs ?? atMs))
  return Math.floor((earliestMs - HOUR_OFFSET_MS) / HOUR_MS)
}

export interface GapLimits {
  /**
   * The longest time between two parts of a message. It is long, because a sender may lose coverage or reach its hourly
   * limit.
   */
  readonly longestPauseMs: number
  /**
   * A part may have been submitted before a part with a lower sequence number, but by no more than this time. Parts are
   * sent in order, except if a part is retried.
   */
  readonly longestDisorderMs: number
}

/**
 * Returns true if the part may belong to the group according to its times.
 *
 * The limit on disorder prevents one lost part from corrupting later messages. Some senders never change their
 * reference. If the first part of a message is lost, then without the limit the first part of the next message would
 * take its place. The rest of that next message would be joined with the first part of the message after it, and so on.
 * Every later message would be a mixture of two.
 */
export function fits(group: PartGroup, part: HeldPart, limits: GapLimits): boolean {
  const { longestPauseMs, longestDisorderMs } = limits
  return group.parts.every((other) => {
    if (other.sequence === part.sequence) return false
    const [earlier, later] = other.sequence < part.sequence ? [other, part] : [part, other]
    const pauseMs = elapsedMs(earlier, later)
    const knownOrder = earlier.sentMs !== null && later.sentMs !== null
    return pauseMs <= longestPauseMs && pauseMs >= (knownOrder ? -longestDisorderMs : -longestPauseMs)
  })
}

/** Returns true if each group has exactly the parts that the other group lacks. */
export function fillsGapsOf(one: PartGroup, other: PartGroup): boolean {
  if (one.key !== other.key || one.parts.length + other.parts.length !== one.total) return false
  const sequences = new Set(one.parts.map(({ sequence }) => sequence))
  return other.parts.every(({ sequence }) => !sequences.has(sequence))
}

/** Returns true if the arrival times may belong to one message, even if the clocks of two service centres differ. */
export function arrivedTogether(parts: readonly HeldPart[], limits: GapLimits): boolean {
  const sentMs = parts.flatMap((part) => part.sentMs ?? [])
  return span(parts.map(({ atMs }) => atMs)) <= limits.longestDisorderMs && span(sentMs) <= limits.longestPauseMs
}

/** Returns true if a sender that waits for the answer to each part could have sent these parts as one message. */
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
