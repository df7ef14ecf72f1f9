import type { Address } from './address.ts'
import { type HeldPart, heldPartOf, isResentPart, isSamePart, type ReceivedPart } from './held-part.ts'
import { type JoinedParts, joinParts } from './join-parts.ts'
import {
  distanceMs,
  fits,
  groupIdFor,
  groupKey,
  groupWith,
  grown,
  type PartGroup,
  type SendingHabits,
} from './part-group.ts'

/**
 * Makes messages of parts, which come in any order, twice, much later or never.
 *
 * A group of parts is
 * - gathering: something is missing, and there is hope;
 * - released: nothing came for `partialAfterMs`, so what there is was announced as a partial. It stays: a part that still
 *   comes takes it back to gathering, and when all are there the whole is announced under the same id;
 * - complete: announced; only what it takes to know copies of its parts is kept.
 * After `rememberMs` without a new part a group that was announced is forgotten.
 *
 * A part belongs to the group with its key (SIM, sender, reference and its width, total) that lacks it and whose times fit
 * best; with none, it starts a new one: that is how a reference is reused. A copy is known by its content and by the time
 * stamp of the service centre. The same content under another stamp is a part that its sender submitted again, or that of
 * a new message with the same words. While the first message is incomplete it is taken for a copy. Later it starts a
 * group that takes copies alone, and that is either a second message, when all come, or copies, when they do not.
 *
 * Nothing is dropped: what has to make room is announced as it is. Everything follows from the inputs in their order, so a
 * state is rebuilt by feeding them in again; ticks that had no effect may be left out, for a part brings its own time.
 */
export function next(
  state: ReassemblyState,
  input: ReassemblyInput,
  limits: ReassemblyLimits = defaultReassemblyLimits,
): ReassemblyStep {
  if (input.kind === 'clock-ticked') return clockTicked(state, input.nowMs, limits)
  // The part first: after a long silence it may be the one that was waited for.
  const arrived = partArrived(state, input, limits)
  const ticked = clockTicked(arrived.state, input.atMs, limits)
  const roomy = madeRoom(ticked.state, limits)
  return { state: roomy.state, effects: [...arrived.effects, ...ticked.effects, ...roomy.effects] }
}

/** Plain JSON. */
export interface ReassemblyState {
  /** In the order of their newest parts. */
  readonly groups: readonly PartGroup[]
}

export const emptyReassembly: ReassemblyState = { groups: [] }

export type ReassemblyInput =
  | ({ readonly kind: 'part-arrived' } & ReceivedPart)
  | { readonly kind: 'clock-ticked'; readonly nowMs: number }

export type ReassemblyEffect = MessageCompleted | PartialReleased | PartDuplicated

export interface MessageCompleted extends Announcement {
  readonly kind: 'message-completed'
  /** A partial was announced under this id before. */
  readonly wasReleased: boolean
}

export interface PartialReleased extends Announcement {
  readonly kind: 'partial-released'
  readonly missing: readonly number[]
  readonly because: 'waited' | 'no-room'
}

/** Nothing new: the part can be forgotten. */
export interface PartDuplicated {
  readonly kind: 'part-duplicated'
  readonly partId: string
  readonly originalPartId: string
}

interface Announcement {
  /** One for each message, for ever. Names the sender: hash it before it is shown or logged. */
  readonly groupId: string
  readonly sim: string
  readonly sender: Address
  readonly total: number
  /** In order of their sequence. */
  readonly partIds: readonly string[]
  readonly message: JoinedParts
}

export interface ReassemblyStep {
  readonly state: ReassemblyState
  readonly effects: readonly ReassemblyEffect[]
}

export interface ReassemblyLimits extends SendingHabits {
  readonly partialAfterMs: number
  readonly rememberMs: number
  /** How long a sender that got no answer may take to submit a part again. */
  readonly resentWithinMs: number
  /** Known groups, complete ones included. Less than come in an hour is too few: see {@link groupIdFor}. */
  readonly maxGroups: number
  /** Parts kept with their content, about half a kilobyte each. At least 255. */
  readonly maxHeldParts: number
}

export const defaultReassemblyLimits: ReassemblyLimits = {
  partialAfterMs: 60 * 60_000,
  rememberMs: 7 * 24 * 60 * 60_000,
  longestPauseMs: 24 * 60 * 60_000,
  longestDisorderMs: 10 * 60_000,
  resentWithinMs: 10 * 60_000,
  maxGroups: 4096,
  maxHeldParts: 8192,
}

function partArrived(state: ReassemblyState, input: ReceivedPart, limits: ReassemblyLimits): ReassemblyStep {
  const part = heldPartOf(input)
  const key = groupKey(input)
  const known = state.groups.filter((group) => group.key === key)
  const original = originalOf(part, known, limits)
  if (original !== undefined) return { state, effects: [duplicated(part, original)] }

  const isCopy = (other: HeldPart) => isResentPart(part, other, limits.resentWithinMs)
  const repeated = known.findLast(({ phase, parts }) => phase === 'complete' && parts.some(isCopy))
  const repeatOf = repeated?.groupId ?? null
  const open = known.filter((group) => group.phase !== 'complete' && fits(group, part, limits))
  const home = nearest(
    open.filter((group) => group.repeatOf === null || group.repeatOf === repeatOf),
    part,
  )
  const group = home === undefined ? groupWith(input, part, repeatOf) : grown(home, part)
  const others = home === undefined ? state.groups : state.groups.filter((other) => other !== home)
  if (group.parts.length < group.total) return { state: { groups: [...others, group] }, effects: [] }

  const announcement = announcementOf(group, others)
  const completed: PartGroup = {
    ...group,
    phase: 'complete',
    groupId: announcement.groupId,
    parts: group.parts.map((held) => ({ ...held, content: null })),
  }
  return {
    state: { groups: [...others, completed] },
    effects: [{ kind: 'message-completed', ...announcement, wasReleased: group.groupId !== null }],
  }
}

function clockTicked(state: ReassemblyState, nowMs: number, limits: ReassemblyLimits): ReassemblyStep {
  const isQuiet = ({ phase, lastAtMs }: PartGroup) =>
    nowMs >= lastAtMs && nowMs - lastAtMs < (phase === 'gathering' ? limits.partialAfterMs : limits.rememberMs)
  if (state.groups.every(isQuiet)) return { state, effects: [] }

  const groups: PartGroup[] = []
  const effects: ReassemblyEffect[] = []
  for (const group of state.groups) {
    if (isQuiet(group)) {
      groups.push(group)
    } else if (nowMs < group.lastAtMs) {
      // The clock was set back: the group waits from now, not until the time it came from.
      groups.push({ ...group, lastAtMs: nowMs })
    } else if (group.phase === 'gathering') {
      const released = releasedGroup(group, [...state.groups, ...groups], 'waited')
      effects.push(...released.effects)
      if (released.group !== undefined) groups.push(released.group)
    }
  }
  return { state: { groups }, effects }
}

/** What is forgotten first is what costs least: the memory of the complete, then of the released, then what is waiting. */
function madeRoom(state: ReassemblyState, limits: ReassemblyLimits): ReassemblyStep {
  let groups = state.groups
  const effects: ReassemblyEffect[] = []
  const tooManyGroups = () => groups.length > limits.maxGroups
  while (tooManyGroups() || heldParts(groups) > limits.maxHeldParts) {
    const victim =
      (tooManyGroups() ? oldest(groups, 'complete') : undefined) ??
      oldest(groups, 'released') ??
      oldest(groups, 'gathering')
    if (victim === undefined) break
    if (victim.phase === 'gathering') effects.push(...releasedGroup(victim, groups, 'no-room').effects)
    groups = groups.filter((group) => group !== victim)
  }
  return { state: groups === state.groups ? state : { groups }, effects }
}

/** Announces what there is. A group of nothing but copies turns out to be no message, and goes. */
function releasedGroup(
  group: PartGroup,
  groups: readonly PartGroup[],
  because: PartialReleased['because'],
): { readonly group: PartGroup | undefined; readonly effects: readonly ReassemblyEffect[] } {
  const repeated = group.repeatOf === null ? undefined : groups.find(({ groupId }) => groupId === group.repeatOf)
  if (repeated !== undefined) {
    const effects = group.parts.flatMap((part) => {
      const original = repeated.parts.find(({ sequence }) => sequence === part.sequence)
      return original === undefined ? [] : [duplicated(part, original)]
    })
    return { group: undefined, effects }
  }
  const announcement = announcementOf(group, groups)
  const present = new Set(group.parts.map(({ sequence }) => sequence))
  const missing = Array.from({ length: group.total }, (_, i) => i + 1).filter((sequence) => !present.has(sequence))
  return {
    group: { ...group, phase: 'released', groupId: announcement.groupId },
    effects: [{ kind: 'partial-released', ...announcement, missing, because }],
  }
}

function announcementOf(group: PartGroup, groups: readonly PartGroup[]): Announcement {
  const { sim, sender, total, parts } = group
  return {
    groupId: group.groupId ?? groupIdFor(group, (groupId) => groups.some((other) => other.groupId === groupId)),
    sim,
    sender,
    total,
    partIds: parts.map(({ partId }) => partId),
    message: joinParts(parts, total),
  }
}

function duplicated(part: HeldPart, original: HeldPart): PartDuplicated {
  return { kind: 'part-duplicated', partId: part.partId, originalPartId: original.partId }
}

function originalOf(
  part: HeldPart,
  known: readonly PartGroup[],
  { resentWithinMs }: ReassemblyLimits,
): HeldPart | undefined {
  const incomplete = known.filter(({ phase }) => phase !== 'complete')
  return (
    known.flatMap(({ parts }) => parts).find((other) => isSamePart(part, other)) ??
    incomplete.flatMap(({ parts }) => parts).find((other) => isResentPart(part, other, resentWithinMs))
  )
}

/** Of those that are equally near the first, which has waited longest. */
function nearest(groups: readonly PartGroup[], part: HeldPart): PartGroup | undefined {
  const distances = groups.map((group) => distanceMs(group, part))
  return groups[distances.indexOf(Math.min(...distances))]
}

function oldest(groups: readonly PartGroup[], phase: PartGroup['phase']): PartGroup | undefined {
  return groups
    .filter((group) => group.phase === phase)
    .reduce<PartGroup | undefined>((a, b) => (a === undefined || b.lastAtMs < a.lastAtMs ? b : a), undefined)
}

function heldParts(groups: readonly PartGroup[]): number {
  return groups.reduce((count, { phase, parts }) => count + (phase === 'complete' ? 0 : parts.length), 0)
}
