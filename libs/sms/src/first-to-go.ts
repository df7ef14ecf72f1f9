import type { PartGroup } from './part-group.ts'

/**
 * The group that has to make room: one of the source (SIM and sender) that takes most of it, so that a flood pushes out
 * itself and nobody else. Of those, what costs least: the memory of the complete, then that of the released, then what is
 * waiting; the oldest first.
 *
 * Sources within the fair share count as equals. Otherwise a flood under a thousand names, each of them used once, would
 * push out whoever has two messages under way.
 */
export function firstToGo(
  groups: readonly PartGroup[],
  sizeOf: (group: PartGroup) => number,
  fairShare: number,
): PartGroup | undefined {
  const sizes = new Map<string, number>()
  let most = fairShare
  for (const group of groups) {
    const size = (sizes.get(group.source) ?? 0) + sizeOf(group)
    sizes.set(group.source, size)
    if (size > most) most = size
  }
  let first: PartGroup | undefined
  for (const group of groups) {
    if (first !== undefined && !costsLess(group, first)) continue
    if (most === fairShare || sizes.get(group.source) === most) first = group
  }
  return first
}

function costsLess(one: PartGroup, other: PartGroup): boolean {
  return one.phase === other.phase ? one.lastAtMs < other.lastAtMs : COST[one.phase] < COST[other.phase]
}

const COST: Readonly<Record<PartGroup['phase'], number>> = { complete: 0, released: 1, gathering: 2 }
