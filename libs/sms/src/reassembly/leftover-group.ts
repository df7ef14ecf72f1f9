import { elapsedMs, type HeldPart, isResentPart } from './held-part.ts'
import { arrivedTogether, fillsGapsOf, type GapLimits, type PartGroup, partOf, sentInOrder } from './part-group.ts'

/**
 * Limits for groups whose waiting time is over. Groups are not compared earlier: after an outage, the parts of many
 * messages arrive within seconds and in any order, and most missing parts still arrive.
 */
export interface LeftoverLimits extends GapLimits {
  /** A sender that receives no answer to a part may submit the part again within this time. */
  readonly resentWithinMs: number
}

/**
 * Returns the group that completes this group, if each group is the nearest candidate for the other. One message may
 * have two groups for two reasons:
 * - Two service centres with different clocks wrote the time stamps of its parts.
 * - A part was treated as a copy because an earlier message began or ended with the same text.
 */
export function complementOf(
  group: PartGroup,
  siblings: readonly PartGroup[],
  limits: LeftoverLimits,
): PartGroup | undefined {
  const waiting = siblings.filter(({ phase }) => phase === 'gathering')
  const nearestTo = (one: PartGroup) =>
    waiting
      .filter((other) => couldBeOne(one, other, siblings, limits))
      .reduce<PartGroup | undefined>(
        (near, other) => (near === undefined || apartMs(one, other) < apartMs(one, near) ? other : near),
        undefined,
      )
  const partner = nearestTo(group)
  return partner !== undefined && nearestTo(partner) === group ? partner : undefined
}

/** Returns the originals when every part of the group is a copy of a part in another message, otherwise undefined. */
export function originalsOf(
  group: PartGroup,
  siblings: readonly PartGroup[],
  { resentWithinMs }: LeftoverLimits,
): readonly HeldPart[] | undefined {
  if (group.repeatOf === null) return undefined
  const messages = siblings.filter((other) => other !== group && (other.repeatOf === null || other.groupId !== null))
  const originals: HeldPart[] = []
  for (const part of group.parts) {
    const original = messages
      .map((message) => partOf(message, part.sequence))
      .find((other) => other !== undefined && isResentPart(part, other, resentWithinMs))
    if (original === undefined) return undefined
    originals.push(original)
  }
  return originals
}

function couldBeOne(one: PartGroup, other: PartGroup, siblings: readonly PartGroup[], limits: LeftoverLimits): boolean {
  if (one === other || !fillsGapsOf(one, other)) return false
  // Does not join two announced groups: each group keeps its announced id, because otherwise one of the ids would have
  // no message.
  if (one.groupId !== null && other.groupId !== null) return false
  if (one.repeatOf === null && other.repeatOf === null) return arrivedTogether([...one.parts, ...other.parts], limits)

  const [message, copies] = one.repeatOf === null ? [one, other] : [other, one]
  // Tries the copies, and then their originals. Equal parts fit either message, so the earlier of two equal parts may
  // have been put in the group of the later message.
  return [copies.parts, originalsOf(copies, siblings, limits) ?? []].some(
    (parts) => parts.length > 0 && sentInOrder([...message.parts, ...parts], limits.resentWithinMs),
  )
}

function apartMs(one: PartGroup, other: PartGroup): number {
  return Math.abs(elapsedMs(one.parts[0]!, other.parts[0]!))
}
