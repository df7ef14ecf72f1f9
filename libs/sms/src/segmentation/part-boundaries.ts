import type { Alphabet } from '../fields/data-coding-scheme.ts'
import { MAX_USER_DATA_OCTETS } from '../fields/user-data.ts'
import type { InformationElement } from '../fields/user-data-header.ts'
import type { TextUnits } from './text-units.ts'

/** Returns the smallest number of parts for the units without splitting a pair. Each part is as full as possible. */
export function countParts({ length, pairStart }: TextUnits, capacity: number): number {
  let parts = 1
  for (let end = capacity; end < length; end = pairStart(end) + capacity) parts++
  return parts
}

/**
 * Returns the end of each part. `parts` is the smallest possible number. Splits no pair, and as few clusters as this
 * number of parts allows.
 *
 * A part that ends before a cluster is not full, so the next parts must hold more units. In total, only a few units
 * can stay unused. They are left unused where this avoids the largest number of split clusters. The search adds one
 * part at a time. For each number of split clusters, it keeps only the longest path, because a shorter path with the
 * same number of splits can never become better.
 */
export function partBoundaries(units: TextUnits, capacity: number, parts: number): readonly number[] {
  let paths: readonly Path[] = [{ end: 0, splits: 0, before: undefined }]
  for (let left = parts - 1; left >= 0; left--) {
    const mustReach = units.length - left * capacity
    paths = furthest(paths.flatMap((path) => nextParts(path, units, capacity)).filter(({ end }) => end >= mustReach))
  }
  const ends: number[] = []
  for (let path = paths[0]; path?.before !== undefined; path = path.before) ends.push(path.end)
  return ends.reverse()
}

/**
 * Returns how many units fit after a header: septets, octets, or UTF-16 units for `ucs2`.
 * For septets this includes the fill bits: 160 − ⌈8·h/7⌉ equals ⌊(140 − h)·8/7⌋.
 */
export function partCapacity(alphabet: Alphabet, elements: readonly InformationElement[]): number {
  const room = MAX_USER_DATA_OCTETS - headerOctets(elements)
  if (alphabet === 'octets') return room
  return alphabet === 'ucs2' ? Math.floor(room / 2) : Math.floor((room * 8) / 7)
}

/** One choice of boundaries, as a linked list from the last part to the first. */
interface Path {
  readonly end: number
  /** The number of clusters split so far. */
  readonly splits: number
  readonly before: Path | undefined
}

/** Adds one part: as long as possible, or up to the cluster that would be split. */
function nextParts(before: Path, units: TextUnits, capacity: number): readonly Path[] {
  const { splits } = before
  const limit = before.end + capacity
  if (limit >= units.length) return [{ end: units.length, splits, before }]
  const end = units.pairStart(limit)
  const cluster = units.clusterStart(end)
  if (cluster === end) return [{ end, splits, before }]
  // The first path adds no units if the cluster began in an earlier part. Such a path does not reach `mustReach`, so it
  // is dropped.
  return [
    { end: cluster, splits, before },
    { end, splits: splits + 1, before },
  ]
}

/** Keeps the paths with the fewest splits. Keeps a path with more splits only if it is longer. */
function furthest(paths: readonly Path[]): readonly Path[] {
  // The usual case, in which no part ends inside a cluster.
  if (paths.length === 1) return paths
  const kept: Path[] = []
  for (const path of paths.toSorted((a, b) => a.splits - b.splits || b.end - a.end)) {
    const last = kept.at(-1)
    if (last === undefined || path.end > last.end) kept.push(path)
  }
  return kept
}

/** UDHL, and for each element its identifier, its length and its data. 23.040 §9.2.3.24 */
function headerOctets(elements: readonly InformationElement[]): number {
  return elements.length === 0 ? 0 : elements.reduce((octets, { data }) => octets + 2 + data.length, 1)
}
