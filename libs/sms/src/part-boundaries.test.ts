import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countParts, partBoundaries } from './part-boundaries.ts'
import type { TextUnits } from './text-units.ts'

/** Clusters made of single units and of pairs. */
function unitsOf(clusters: readonly (readonly ('one' | 'two')[])[]): TextUnits {
  const pairStarts: number[] = []
  const starts: number[] = []
  for (const cluster of clusters) {
    const start = starts.length
    for (const atom of cluster) {
      const pairStart = starts.length
      for (let i = 0; i < (atom === 'two' ? 2 : 1); i++) {
        pairStarts.push(pairStart)
        starts.push(start)
      }
    }
  }
  return {
    length: starts.length,
    pairStart: (index) => pairStarts[index] ?? index,
    clusterStart: (index) => starts[index] ?? index,
    slice: () => new Uint8Array(),
  }
}

const cutsClusters = ({ clusterStart }: TextUnits, ends: readonly number[]) =>
  ends.slice(0, -1).filter((end) => clusterStart(end) !== end).length

interface Cost {
  readonly parts: number
  readonly cuts: number
}

/** By trying every end of every part, from the last unit back: the fewest parts, and of those the fewest cuts. */
function leastCost(units: TextUnits, capacity: number): Cost {
  const costs: Cost[] = []
  for (let from = units.length; from >= 0; from--) {
    const ways = from + capacity >= units.length ? [{ parts: 1, cuts: 0 }] : []
    for (let end = from + 1; end <= Math.min(from + capacity, units.length - 1); end++) {
      if (units.pairStart(end) !== end) continue
      const rest = costs[end]!
      ways.push({ parts: rest.parts + 1, cuts: rest.cuts + (units.clusterStart(end) === end ? 0 : 1) })
    }
    costs[from] = ways.toSorted((a, b) => a.parts - b.parts || a.cuts - b.cuts)[0]!
  }
  return costs[0]!
}

const clusters = fc.array(fc.array(fc.constantFrom('one' as const, 'two' as const), { minLength: 1, maxLength: 5 }), {
  maxLength: 12,
})
const capacities = fc.integer({ min: 2, max: 6 })

describe('part boundaries', () => {
  test('leave every part within its capacity, cut no pair and lose nothing', () => {
    fc.assert(
      fc.property(clusters, capacities, (made, capacity) => {
        const units = unitsOf(made)
        const ends = partBoundaries(units, capacity, countParts(units, capacity))
        expect(ends.at(-1)).toBe(units.length)
        for (const [index, end] of ends.entries()) {
          expect(end - (ends[index - 1] ?? 0)).toBeLessThanOrEqual(capacity)
          expect(units.pairStart(end)).toBe(end)
        }
      }),
    )
  })

  test('make the fewest parts there can be, and cut the fewest clusters that so many parts allow', () => {
    fc.assert(
      fc.property(clusters, capacities, (made, capacity) => {
        const units = unitsOf(made)
        const ends = partBoundaries(units, capacity, countParts(units, capacity))
        expect({ parts: ends.length, cuts: cutsClusters(units, ends) }).toEqual(leastCost(units, capacity))
      }),
    )
  })

  test('spend the room to spare where it saves most, not at the first chance', () => {
    // Three units to spare in four parts of five: keeping the second cluster whole takes two of them, and then two
    // others are cut for want of room.
    const units = unitsOf([3, 3, 3, 2, 3, 3].map((length) => Array<'one'>(length).fill('one')))
    expect(partBoundaries(units, 5, countParts(units, 5))).toEqual([5, 9, 14, 17])
  })
})
