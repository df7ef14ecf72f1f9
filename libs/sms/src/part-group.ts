import type { Address } from './address.ts'
import { elapsedMs, type HeldPart, type ReceivedPart } from './held-part.ts'

/** Parts that are taken for one message, as plain JSON. */
export interface PartGroup {
  /** What all parts of a message have in common, and messages that reuse a reference too. */
  readonly key: string
  readonly sim: string
  readonly sender: Address
  readonly total: number
  readonly phase: 'gathering' | 'released' | 'complete'
  /** Null until the message is first spoken of. */
  readonly groupId: string | null
  /** In order of their sequence, of each at most one. */
  readonly parts: readonly HeldPart[]
  /** When the last part that was new came. */
  readonly lastAtMs: number
  /** The complete message of which all parts so far are copies, sent again. */
  readonly repeatOf: string | null
}

export function groupWith(part: ReceivedPart, held: HeldPart, repeatOf: string | null): PartGroup {
  const { sim, sender, concatenation } = part
  return {
    key: groupKey(part),
    sim,
    sender,
    total: concatenation.total,
    phase: 'gathering',
    groupId: null,
    parts: [held],
    lastAtMs: held.atMs,
    repeatOf,
  }
}

export function grown(group: PartGroup, held: HeldPart): PartGroup {
  const parts = [...group.parts, held].toSorted((a, b) => a.sequence - b.sequence)
  return { ...group, phase: 'gathering', parts, lastAtMs: held.atMs }
}

/** The service centre is no part of it: one network delivers the parts of a message through several. */
export function groupKey({ sim, sender, concatenation }: ReceivedPart): string {
  const { width, reference, total } = concatenation
  return JSON.stringify([sim, sender.typeOfNumber, sender.value, width, reference, total])
}

/**
 * The identity of a message, the same however its parts arrive: key and hour of the earliest time stamp.
 *
 * A part carries nothing that all parts of its message share and no other message does. References are reused, after
 * 256 messages or at once, by senders that never change theirs; time stamps differ by seconds. Between those two the
 * hour is the compromise: any subset of the parts leads to the same hour, unless the message was sent across its end
 * and only one side of it is at hand when the message is first spoken of; that answer then stays. Hours here do not end
 * when those of the clock do, since that is when scheduled messages are sent.
 *
 * A second message with the same key in the same hour gets a number behind it, in the order in which they are spoken of.
 * That takes knowing the first: the memory for groups has to outlast the hour.
 *
 * The sender's number is in it: hash it before it is shown or logged.
 */
export function groupIdFor(group: PartGroup, isTaken: (groupId: string) => boolean): string {
  const earliestMs = Math.min(...group.parts.map(({ sentMs, atMs }) => sentMs ?? atMs))
  const groupId = `${group.key}@${Math.floor((earliestMs - HOUR_OFFSET_MS) / HOUR_MS)}`
  if (!isTaken(groupId)) return groupId
  let number = 2
  while (isTaken(`${groupId}#${number}`)) number++
  return `${groupId}#${number}`
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

export function distanceMs(group: PartGroup, part: HeldPart): number {
  return Math.min(...group.parts.map((other) => Math.abs(elapsedMs(other, part))))
}

const HOUR_MS = 3_600_000
const HOUR_OFFSET_MS = 23 * 60_000
