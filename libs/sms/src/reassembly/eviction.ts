import type { PartGroup } from './part-group.ts'

export interface EvictionLimits {
  /** The largest number of groups in memory, including complete groups. */
  readonly maxGroups: number
  /**
   * The largest number of parts in memory, including the parts of complete groups. At least 255. A part with its
   * content takes half a kilobyte.
   */
  readonly maxParts: number
  /**
   * The largest number of incomplete groups with one key. Even a sender that never changes its reference sends
   * fewer messages at a time.
   */
  readonly maxIncompleteOfKey: number
}

/** Returns the group to evict while one key has too many incomplete groups. */
export function excessGroupOfKey(
  groups: readonly PartGroup[],
  key: string,
  limits: EvictionLimits,
): PartGroup | undefined {
  const incomplete = groups.filter((group) => group.key === key && group.phase !== 'complete')
  return incomplete.length > limits.maxIncompleteOfKey ? groupToEvict(incomplete, ONE_EACH, FAIR_GROUPS) : undefined
}

/** Returns the group to evict while there are too many groups or parts in total. */
export function excessGroup(groups: readonly PartGroup[], limits: EvictionLimits): PartGroup | undefined {
  if (groups.length > limits.maxGroups) return groupToEvict(groups, ONE_EACH, FAIR_GROUPS)
  let parts = 0
  for (const group of groups) parts += group.parts.length
  return parts > limits.maxParts ? groupToEvict(groups, (group) => group.parts.length, FAIR_PARTS) : undefined
}

/**
 * Chooses a group of the source (SIM and sender) that uses the most memory, so that a flooding sender evicts only its
 * own messages. Within that source, complete groups are evicted before released ones, and released ones before
 * gathering ones. Within a phase, the oldest group is evicted first.
 *
 * All sources that use no more than the fair share are treated as if they used the same amount of memory. Without this
 * rule, a flood from a thousand sender names, each used once, would evict the messages of a sender that has two
 * messages in progress.
 */
function groupToEvict(
  groups: readonly PartGroup[],
  sizeOf: (group: PartGroup) => number,
  fairShare: number,
): PartGroup | undefined {
  const sizes = new Map<string, number>()
  let largest = fairShare
  for (const group of groups) {
    const size = (sizes.get(group.source) ?? 0) + sizeOf(group)
    sizes.set(group.source, size)
    if (size > largest) largest = size
  }
  let picked: PartGroup | undefined
  for (const group of groups) {
    if (picked !== undefined && !isCheaper(group, picked)) continue
    if (largest === fairShare || sizes.get(group.source) === largest) picked = group
  }
  return picked
}

function isCheaper(one: PartGroup, other: PartGroup): boolean {
  return one.phase === other.phase ? one.lastAtMs < other.lastAtMs : COST[one.phase] < COST[other.phase]
}

const COST: Readonly<Record<PartGroup['phase'], number>> = { complete: 0, released: 1, gathering: 2 }

const ONE_EACH = () => 1

/** The fair share of a sender: several messages, or a single message of the greatest length. */
const FAIR_GROUPS = 16
const FAIR_PARTS = 255
