import type { TextUnits } from './text-units.ts'

/** The fewest parts that hold the units when no pair is cut. Filling each part to the brim is the best there is. */
export function countParts({ length, pairStart }: TextUnits, capacity: number): number {
  let parts = 1
  for (let end = capacity; end < length; end = pairStart(end) + capacity) parts++
  return parts
}

/**
 * Where each of `parts` parts ends, `parts` being the fewest possible: no pair is cut, and as few clusters as that
 * number of parts allows.
 *
 * A part that stops short of a cluster leaves more for those behind it, so the room to spare has to be spent where it
 * saves most. Walks through the parts and keeps, for each number of clusters cut so far, the way that came furthest:
 * of two ways with equally many cuts the one behind can never catch up.
 */
export function partBoundaries(units: TextUnits, capacity: number, parts: number): readonly number[] {
  let ways: readonly Way[] = [{ end: 0, cuts: 0, before: undefined }]
  for (let left = parts - 1; left >= 0; left--) {
    const mustReach = units.length - left * capacity
    ways = furthest(ways.flatMap((way) => continuations(way, units, capacity)).filter(({ end }) => end >= mustReach))
  }
  const ends: number[] = []
  for (let way = ways[0]; way?.before !== undefined; way = way.before) ends.push(way.end)
  return ends.reverse()
}

/** One choice of boundaries, read backwards from the last. */
interface Way {
  readonly end: number
  /** Clusters cut so far. */
  readonly cuts: number
  readonly before: Way | undefined
}

/** One part more: as much as fits, or up to the cluster that would be cut. */
function continuations(before: Way, units: TextUnits, capacity: number): readonly Way[] {
  const { cuts } = before
  const limit = before.end + capacity
  if (limit >= units.length) return [{ end: units.length, cuts, before }]
  const end = units.pairStart(limit)
  const cluster = units.clusterStart(end)
  if (cluster === end) return [{ end, cuts, before }]
  // If the cluster began in a part before, stopping there gains nothing; with no part to spare, such a way never arrives.
  return [
    { end: cluster, cuts, before },
    { end, cuts: cuts + 1, before },
  ]
}

/** Fewest cuts first, and more cuts only where they lead further. */
function furthest(ways: readonly Way[]): readonly Way[] {
  // As in most texts, where no part ends inside a cluster.
  if (ways.length === 1) return ways
  const kept: Way[] = []
  for (const way of ways.toSorted((a, b) => a.cuts - b.cuts || b.end - a.end)) {
    const last = kept.at(-1)
    if (last === undefined || way.end > last.end) kept.push(way)
  }
  return kept
}
