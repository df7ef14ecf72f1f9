import type { Address } from '../fields/address.ts'
import { type EvictionLimits, excessGroup, excessGroupOfKey } from './eviction.ts'
import { GroupIdAllocator, noUsedGroupIds, type UsedGroupIds } from './group-ids.ts'
import { type HeldPart, heldPartOf, isResentPart, isSamePart, type ReceivedPart } from './held-part.ts'
import { type JoinedParts, joinParts } from './join-parts.ts'
import { complementOf, type LeftoverLimits, originalsOf } from './leftover-group.ts'
import {
  distanceMs,
  fits,
  groupKey,
  hourOf,
  mergedGroups,
  newGroup,
  type PartGroup,
  partOf,
  withHeldPart,
} from './part-group.ts'

/**
 * Assembles messages from parts, which arrive in any order, twice, much later or never.
 *
 * A group of parts is
 * - gathering: parts are missing and still expected;
 * - released: no part arrived for `partialAfterMs`, so the parts present were announced as a partial message. The group
 *   is kept: a later part moves it back to gathering, and the complete message is announced under the same id;
 * - complete: announced; only the data needed to recognise copies of its parts is kept. A group that was announced is
 *   forgotten `rememberMs` after its last new part.
 *
 * A part joins a group that has its key (SIM, sender, reference with width, total) and lacks its sequence number. Of
 * several such groups, it joins the group whose times fit best. Without such a group, it starts a new group, so that a
 * reused reference does not mix two messages. A copy has the same content and the same time stamp of the service
 * centre. Equal content with another time stamp is either a part that was submitted again or the part of a new message
 * with the same text. Such a part starts a group that accepts only parts of this kind. If all parts of the group
 * arrive, the group becomes a second message. Otherwise, the group completes another group or contains only copies.
 *
 * No part is dropped: a group that is evicted is announced first. A sender that fills the memory evicts its own groups
 * first. The state depends only on the inputs and their order, so replaying them rebuilds it. Ticks that returned the
 * same state object may be left out.
 */
export function nextReassembly(
  state: ReassemblyState,
  input: ReassemblyInput,
  limits: ReassemblyLimits = defaultReassemblyLimits,
): ReassemblyStep {
  const ids = new GroupIdAllocator(state.usedIds)
  const { groups, effects } =
    input.kind === 'clock-ticked'
      ? handleTick(state.groups, input.nowMs, ids, limits)
      : handlePart(state.groups, input, ids, limits)
  if (groups === state.groups) return { state, effects }
  return { state: { groups, usedIds: ids.usedIds(limits.maxRememberedIds) }, effects }
}

/** The state, as plain JSON. */
export interface ReassemblyState {
  /** Ordered by the arrival of their newest part. */
  readonly groups: readonly PartGroup[]
  readonly usedIds: UsedGroupIds
}

export const emptyReassembly: ReassemblyState = { groups: [], usedIds: noUsedGroupIds }

export type ReassemblyInput =
  | ({ readonly kind: 'part-arrived' } & ReceivedPart)
  | { readonly kind: 'clock-ticked'; readonly nowMs: number }

export type ReassemblyEffect = MessageCompleted | PartialReleased | PartDuplicated

interface MessageCompleted extends Announcement {
  readonly kind: 'message-completed'
  /** True if a partial message was announced earlier under this id. */
  readonly wasReleased: boolean
}

interface PartialReleased extends Announcement {
  readonly kind: 'partial-released'
  readonly missing: readonly number[]
  readonly because: 'waited' | 'no-room'
}

/** The part is a copy and can be deleted. */
interface PartDuplicated {
  readonly kind: 'part-duplicated'
  readonly partId: string
  readonly originalPartId: string
}

interface Announcement {
  /**
   * Identifies the message permanently: each announcement under this id contains and replaces all earlier
   * announcements. The id consists of the key and the hour of the earliest time stamp, and of a number if both were
   * used before. The id contains the sender's number, so it must be hashed before it is shown or logged.
   */
  readonly groupId: string
  readonly sim: string
  readonly sender: Address
  readonly total: number
  /** Ordered by sequence. */
  readonly partIds: readonly string[]
  readonly message: JoinedParts
}

interface ReassemblyStep {
  readonly state: ReassemblyState
  readonly effects: readonly ReassemblyEffect[]
}

export interface ReassemblyLimits extends LeftoverLimits, EvictionLimits {
  readonly partialAfterMs: number
  readonly rememberMs: number
  readonly maxRememberedIds: number
}

export const defaultReassemblyLimits: ReassemblyLimits = {
  partialAfterMs: 60 * 60_000,
  rememberMs: 7 * 24 * 60 * 60_000,
  longestPauseMs: 24 * 60 * 60_000,
  longestDisorderMs: 10 * 60_000,
  resentWithinMs: 10 * 60_000,
  maxGroups: 4096,
  maxParts: 16_384,
  maxIncompleteOfKey: 16,
  maxRememberedIds: 4096,
}

/** `groups` is the same object as before when nothing changed. */
interface Change {
  readonly groups: readonly PartGroup[]
  readonly effects: readonly ReassemblyEffect[]
}

function handlePart(
  groups: readonly PartGroup[],
  input: ReceivedPart,
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): Change {
  // Handles the part before the tick, because after a long pause it may be a missing part of a group.
  const arrived = addPart(groups, input, ids, limits)
  const ticked = handleTick(arrived.groups, input.atMs, ids, limits)
  const evicted = evictGroups(ticked.groups, groupKey(input), ids, limits)
  return { groups: evicted.groups, effects: [...arrived.effects, ...ticked.effects, ...evicted.effects] }
}

function addPart(
  groups: readonly PartGroup[],
  input: ReceivedPart,
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): Change {
  const part = heldPartOf(input)
  const key = groupKey(input)
  const candidates = groups.filter((group) => group.key === key)
  const original = candidates
    .map((group) => partOf(group, part.sequence))
    .find((other) => other && isSamePart(part, other))
  if (original !== undefined) return { groups, effects: [duplicateOf(part, original)] }

  const repeated = candidates.findLast((group) => {
    const other = partOf(group, part.sequence)
    return other !== undefined && isResentPart(part, other, limits.resentWithinMs)
  })
  const repeatOf = repeated === undefined ? null : (repeated.repeatOf ?? repeated.startedBy)
  const open = candidates.filter((group) => group.phase !== 'complete' && fits(group, part, limits))
  const target = nearest(
    open.filter((group) => group.repeatOf === null || group.repeatOf === repeatOf),
    part,
  )
  const group = target === undefined ? newGroup(input, part, repeatOf) : withHeldPart(target, part)
  const others = target === undefined ? groups : groups.filter((other) => other !== target)
  if (group.parts.length < group.total) return { groups: [...others, group], effects: [] }
  const { completed, effect } = completeGroup(group, ids)
  return { groups: [...others, completed], effects: [effect] }
}

function handleTick(
  groups: readonly PartGroup[],
  nowMs: number,
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): Change {
  const isNotDue = ({ phase, lastAtMs }: PartGroup) =>
    nowMs >= lastAtMs && nowMs - lastAtMs < (phase === 'gathering' ? limits.partialAfterMs : limits.rememberMs)
  if (groups.every(isNotDue)) return { groups, effects: [] }

  const remembered = groups.flatMap((group) => {
    // If the clock was set back, the group waits again from now. Otherwise, it would wait until the old time comes
    // again.
    if (nowMs < group.lastAtMs) return { ...group, lastAtMs: nowMs }
    return group.phase === 'gathering' || isNotDue(group) ? group : []
  })
  return closeDueGroups(remembered, (group) => group.phase === 'gathering' && !isNotDue(group), ids, limits)
}

function closeDueGroups(
  groups: readonly PartGroup[],
  isDue: (group: PartGroup) => boolean,
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): Change {
  if (!groups.some(isDue)) return { groups, effects: [] }
  const byKey = new Map<string, PartGroup[]>()
  for (const group of groups) {
    const siblings = byKey.get(group.key)
    if (siblings === undefined) byKey.set(group.key, [group])
    else siblings.push(group)
  }
  const replacements = new Map<PartGroup, PartGroup | undefined>()
  const currentOf = (group: PartGroup) => (replacements.has(group) ? (replacements.get(group) ?? []) : group)
  const effects: ReassemblyEffect[] = []
  for (const group of groups) {
    if (!isDue(group) || replacements.has(group)) continue
    const closed = closeGroup(group, byKey.get(group.key)!.flatMap(currentOf), 'waited', ids, limits)
    replacements.set(group, closed.group)
    if (closed.complement !== undefined) replacements.set(closed.complement, undefined)
    effects.push(...closed.effects)
  }
  return { groups: groups.flatMap(currentOf), effects }
}

function evictGroups(
  groups: readonly PartGroup[],
  key: string,
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): Change {
  let left = groups
  const effects: ReassemblyEffect[] = []
  const evict = (group: PartGroup) => {
    const siblings = left.filter((other) => other.key === group.key)
    const closed = group.phase === 'gathering' ? closeGroup(group, siblings, 'no-room', ids, limits) : undefined
    left = left.filter((other) => other !== group && other !== closed?.complement)
    if (closed?.group?.phase === 'complete') left = [...left, closed.group]
    effects.push(...(closed?.effects ?? []))
  }
  for (let group = excessGroupOfKey(left, key, limits); group; group = excessGroupOfKey(left, key, limits)) evict(group)
  for (let group = excessGroup(left, limits); group; group = excessGroup(left, limits)) evict(group)
  return { groups: left, effects }
}

/**
 * The result for a group that no longer waits for parts. `group` is undefined if all its parts were copies. If
 * `complement` is set, this other group was merged into `group`.
 */
interface ClosedGroup {
  readonly group: PartGroup | undefined
  readonly complement?: PartGroup
  readonly effects: readonly ReassemblyEffect[]
}

function closeGroup(
  group: PartGroup,
  siblings: readonly PartGroup[],
  because: PartialReleased['because'],
  ids: GroupIdAllocator,
  limits: ReassemblyLimits,
): ClosedGroup {
  const complement = complementOf(group, siblings, limits)
  if (complement !== undefined) {
    const { completed, effect } = completeGroup(mergedGroups(group, complement), ids)
    return { group: completed, complement, effects: [effect] }
  }
  const originals = originalsOf(group, siblings, limits)
  if (originals !== undefined) {
    return { group: undefined, effects: group.parts.map((part, i) => duplicateOf(part, originals[i]!)) }
  }
  const announcement = announcementOf(group, ids)
  const present = new Set(group.parts.map(({ sequence }) => sequence))
  const missing = Array.from({ length: group.total }, (_, i) => i + 1).filter((sequence) => !present.has(sequence))
  return {
    group: { ...group, phase: 'released', groupId: announcement.groupId },
    effects: [{ kind: 'partial-released', ...announcement, missing, because }],
  }
}

function completeGroup(group: PartGroup, ids: GroupIdAllocator): { completed: PartGroup; effect: MessageCompleted } {
  const announcement = announcementOf(group, ids)
  const parts = group.parts.map((part) => ({ ...part, content: null }))
  return {
    completed: { ...group, phase: 'complete', groupId: announcement.groupId, parts },
    effect: { kind: 'message-completed', ...announcement, wasReleased: group.groupId !== null },
  }
}

function announcementOf(group: PartGroup, ids: GroupIdAllocator): Announcement {
  const { key, sim, sender, total, parts } = group
  return {
    groupId: group.groupId ?? ids.allocate(key, hourOf(group)),
    sim,
    sender,
    total,
    partIds: parts.map(({ partId }) => partId),
    message: joinParts(parts, total),
  }
}

function duplicateOf(part: HeldPart, original: HeldPart): PartDuplicated {
  return { kind: 'part-duplicated', partId: part.partId, originalPartId: original.partId }
}

/** If several groups are at the same distance, returns the first of them, which has waited longest. */
function nearest(groups: readonly PartGroup[], part: HeldPart): PartGroup | undefined {
  const distances = groups.map((group) => distanceMs(group, part))
  return groups[distances.indexOf(Math.min(...distances))]
}
