import type { Address } from './address.ts'
import { type AnnouncedIds, IdGiver, noAnnouncedIds } from './announced-ids.ts'
import { firstToGo } from './first-to-go.ts'
import { type HeldPart, heldPartOf, isResentPart, isSamePart, type ReceivedPart } from './held-part.ts'
import { type JoinedParts, joinParts } from './join-parts.ts'
import { type LeftoverLimits, originalsOf, partnerOf } from './leftover-group.ts'
import { distanceMs, fits, groupKey, groupWith, grown, hourOf, type PartGroup, partOf, united } from './part-group.ts'

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
 * a new message with the same words. It starts a group that takes such parts alone, and that is either a second message,
 * when all come, or the rest of one that is left over, or else copies.
 *
 * Nothing is dropped: what has to make room is announced as it is. Whoever fills the memory pushes out what is his own
 * first. Everything follows from the inputs in their order, so a state is rebuilt by feeding them in again; a tick that
 * gave back the very state it was given may be left out.
 */
export function next(
  state: ReassemblyState,
  input: ReassemblyInput,
  limits: ReassemblyLimits = defaultReassemblyLimits,
): ReassemblyStep {
  const ids = new IdGiver(state.announced)
  const { groups, effects } =
    input.kind === 'clock-ticked'
      ? clockTicked(state.groups, input.nowMs, ids, limits)
      : partTaken(state.groups, input, ids, limits)
  if (groups === state.groups) return { state, effects }
  return { state: { groups, announced: ids.announced(limits.maxKnownIds) }, effects }
}

/** Plain JSON. */
export interface ReassemblyState {
  /** In the order of their newest parts. */
  readonly groups: readonly PartGroup[]
  readonly announced: AnnouncedIds
}

export const emptyReassembly: ReassemblyState = { groups: [], announced: noAnnouncedIds }

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
  /**
   * One for each message, for ever: what is announced under it holds all that was announced under it before, and takes
   * its place. Key and hour of the earliest time stamp, with a number when they were used before. Names the sender: hash
   * it before it is shown or logged.
   */
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

export interface ReassemblyLimits extends LeftoverLimits {
  readonly partialAfterMs: number
  readonly rememberMs: number
  /** Known groups, complete ones included. */
  readonly maxGroups: number
  /** Known parts, those of complete groups included; with its content a part takes half a kilobyte. At least 255. */
  readonly maxParts: number
  /** Groups with one key that are not complete: more than a sender has under way that never changes its reference. */
  readonly maxIncompleteOfKey: number
  readonly maxKnownIds: number
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
  maxKnownIds: 4096,
}

/** What a part of a step leaves; the very groups it was given when nothing changed. */
interface Outcome {
  readonly groups: readonly PartGroup[]
  readonly effects: readonly ReassemblyEffect[]
}

function partTaken(groups: readonly PartGroup[], input: ReceivedPart, ids: IdGiver, limits: ReassemblyLimits): Outcome {
  // The part first: after a long silence it may be the one that was waited for.
  const arrived = partArrived(groups, input, ids, limits)
  const ticked = clockTicked(arrived.groups, input.atMs, ids, limits)
  const roomy = madeRoom(ticked.groups, groupKey(input), ids, limits)
  return { groups: roomy.groups, effects: [...arrived.effects, ...ticked.effects, ...roomy.effects] }
}

function partArrived(
  groups: readonly PartGroup[],
  input: ReceivedPart,
  ids: IdGiver,
  limits: ReassemblyLimits,
): Outcome {
  const part = heldPartOf(input)
  const key = groupKey(input)
  const known = groups.filter((group) => group.key === key)
  const original = known.map((group) => partOf(group, part.sequence)).find((other) => other && isSamePart(part, other))
  if (original !== undefined) return { groups, effects: [duplicated(part, original)] }

  const repeated = known.findLast((group) => {
    const other = partOf(group, part.sequence)
    return other !== undefined && isResentPart(part, other, limits.resentWithinMs)
  })
  const repeatOf = repeated === undefined ? null : (repeated.repeatOf ?? repeated.startedBy)
  const open = known.filter((group) => group.phase !== 'complete' && fits(group, part, limits))
  const home = nearest(
    open.filter((group) => group.repeatOf === null || group.repeatOf === repeatOf),
    part,
  )
  const group = home === undefined ? groupWith(input, part, repeatOf) : grown(home, part)
  const others = home === undefined ? groups : groups.filter((other) => other !== home)
  if (group.parts.length < group.total) return { groups: [...others, group], effects: [] }
  const { completed, effect } = completion(group, ids)
  return { groups: [...others, completed], effects: [effect] }
}

function clockTicked(groups: readonly PartGroup[], nowMs: number, ids: IdGiver, limits: ReassemblyLimits): Outcome {
  const isQuiet = ({ phase, lastAtMs }: PartGroup) =>
    nowMs >= lastAtMs && nowMs - lastAtMs < (phase === 'gathering' ? limits.partialAfterMs : limits.rememberMs)
  if (groups.every(isQuiet)) return { groups, effects: [] }

  const remembered = groups.flatMap((group) => {
    // The clock was set back: the group waits from now, not until the time it came from.
    if (nowMs < group.lastAtMs) return { ...group, lastAtMs: nowMs }
    return group.phase === 'gathering' || isQuiet(group) ? group : []
  })
  return givenUp(remembered, (group) => group.phase === 'gathering' && !isQuiet(group), ids, limits)
}

function givenUp(
  groups: readonly PartGroup[],
  isDue: (group: PartGroup) => boolean,
  ids: IdGiver,
  limits: ReassemblyLimits,
): Outcome {
  if (!groups.some(isDue)) return { groups, effects: [] }
  const byKey = new Map<string, PartGroup[]>()
  for (const group of groups) {
    const siblings = byKey.get(group.key)
    if (siblings === undefined) byKey.set(group.key, [group])
    else siblings.push(group)
  }
  const becomes = new Map<PartGroup, PartGroup | undefined>()
  const now = (group: PartGroup) => (becomes.has(group) ? (becomes.get(group) ?? []) : group)
  const effects: ReassemblyEffect[] = []
  for (const group of groups) {
    if (!isDue(group) || becomes.has(group)) continue
    const ending = endingOf(group, byKey.get(group.key)!.flatMap(now), 'waited', ids, limits)
    becomes.set(group, ending.group)
    if (ending.partner !== undefined) becomes.set(ending.partner, undefined)
    effects.push(...ending.effects)
  }
  return { groups: groups.flatMap(now), effects }
}

function madeRoom(groups: readonly PartGroup[], key: string, ids: IdGiver, limits: ReassemblyLimits): Outcome {
  let left = groups
  const effects: ReassemblyEffect[] = []
  const forget = (group: PartGroup) => {
    const siblings = left.filter((other) => other.key === group.key)
    const ending = group.phase === 'gathering' ? endingOf(group, siblings, 'no-room', ids, limits) : undefined
    left = left.filter((other) => other !== group && other !== ending?.partner)
    if (ending?.group?.phase === 'complete') left = [...left, ending.group]
    effects.push(...(ending?.effects ?? []))
  }
  for (let group = tooManyOfKey(left, key, limits); group; group = tooManyOfKey(left, key, limits)) forget(group)
  for (let group = tooManyOfAll(left, limits); group; group = tooManyOfAll(left, limits)) forget(group)
  return { groups: left, effects }
}

function tooManyOfKey(groups: readonly PartGroup[], key: string, limits: ReassemblyLimits): PartGroup | undefined {
  const incomplete = groups.filter((group) => group.key === key && group.phase !== 'complete')
  return incomplete.length > limits.maxIncompleteOfKey ? firstToGo(incomplete, ONE_EACH, FAIR_GROUPS) : undefined
}

function tooManyOfAll(groups: readonly PartGroup[], limits: ReassemblyLimits): PartGroup | undefined {
  if (groups.length > limits.maxGroups) return firstToGo(groups, ONE_EACH, FAIR_GROUPS)
  let parts = 0
  for (const group of groups) parts += group.parts.length
  return parts > limits.maxParts ? firstToGo(groups, (group) => group.parts.length, FAIR_PARTS) : undefined
}

/** What a group that is waited for no longer turns into, nothing if it was copies, and the other that went into it. */
interface Ending {
  readonly group: PartGroup | undefined
  readonly partner?: PartGroup
  readonly effects: readonly ReassemblyEffect[]
}

function endingOf(
  group: PartGroup,
  siblings: readonly PartGroup[],
  because: PartialReleased['because'],
  ids: IdGiver,
  limits: ReassemblyLimits,
): Ending {
  const partner = partnerOf(group, siblings, limits)
  if (partner !== undefined) {
    const { completed, effect } = completion(united(group, partner), ids)
    return { group: completed, partner, effects: [effect] }
  }
  const originals = originalsOf(group, siblings, limits)
  if (originals !== undefined) {
    return { group: undefined, effects: group.parts.map((part, i) => duplicated(part, originals[i]!)) }
  }
  const announcement = announcementOf(group, ids)
  const present = new Set(group.parts.map(({ sequence }) => sequence))
  const missing = Array.from({ length: group.total }, (_, i) => i + 1).filter((sequence) => !present.has(sequence))
  return {
    group: { ...group, phase: 'released', groupId: announcement.groupId },
    effects: [{ kind: 'partial-released', ...announcement, missing, because }],
  }
}

function completion(group: PartGroup, ids: IdGiver): { completed: PartGroup; effect: MessageCompleted } {
  const announcement = announcementOf(group, ids)
  const parts = group.parts.map((part) => ({ ...part, content: null }))
  return {
    completed: { ...group, phase: 'complete', groupId: announcement.groupId, parts },
    effect: { kind: 'message-completed', ...announcement, wasReleased: group.groupId !== null },
  }
}

function announcementOf(group: PartGroup, ids: IdGiver): Announcement {
  const { key, sim, sender, total, parts } = group
  return {
    groupId: group.groupId ?? ids.give(key, hourOf(group)),
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

/** Of those that are equally near the first, which has waited longest. */
function nearest(groups: readonly PartGroup[], part: HeldPart): PartGroup | undefined {
  const distances = groups.map((group) => distanceMs(group, part))
  return groups[distances.indexOf(Math.min(...distances))]
}

const ONE_EACH = () => 1

/** What any sender may have under way: several messages, or one of the longest. */
const FAIR_GROUPS = 16
const FAIR_PARTS = 255
