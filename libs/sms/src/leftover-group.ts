import { elapsedMs, type HeldPart, isResentPart } from './held-part.ts'
import { cameTogether, fillsGapsOf, type PartGroup, partOf, type SendingHabits, sentInOrder } from './part-group.ts'

/**
 * What can be made of a group for which nothing comes any more. It is looked at then and not before: in a burst after an
 * outage the parts of many messages come within seconds and in any order, and nearly every gap is filled by its own.
 */
export interface LeftoverLimits extends SendingHabits {
  /** How long a sender that got no answer may take to submit a part again. */
  readonly resentWithinMs: number
}

/**
 * The group that makes this one whole, if each is nearest to the other:
 * - two that the stamps of two centres with different clocks kept apart;
 * - a message, and a part of it that was taken for a copy, because an earlier message began or ended with the same words.
 */
export function partnerOf(
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

/** The parts of messages of which all parts of the group are copies; undefined when they are not. */
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
  // One that was spoken of keeps its id, and of two ids one would be left without its message.
  if (one.groupId !== null && other.groupId !== null) return false
  if (one.repeatOf === null && other.repeatOf === null) return cameTogether([...one.parts, ...other.parts], limits)

  const [message, copies] = one.repeatOf === null ? [one, other] : [other, one]
  // Equal parts are the same to either message, so the earlier of two may have come to stand in the later one's place.
  return [copies.parts, originalsOf(copies, siblings, limits) ?? []].some(
    (parts) => parts.length > 0 && sentInOrder([...message.parts, ...parts], limits.resentWithinMs),
  )
}

function apartMs(one: PartGroup, other: PartGroup): number {
  return Math.abs(elapsedMs(one.parts[0]!, other.parts[0]!))
}
