import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Alphabet } from '../fields/data-coding-scheme.ts'
import {
  concatenationElement,
  type InformationElement,
  lockingShiftElement,
  portsElement,
  singleShiftElement,
} from '../fields/user-data-header.ts'
import { countParts, partBoundaries, partCapacity } from './part-boundaries.ts'
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

/**
 * Finds the boundaries with the fewest parts, and among these the boundaries with the fewest split clusters. Tries
 * every possible end of every part, beginning at the end of the text.
 */
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
  test('part boundaries keep every part within its capacity, split no pair and lose no units', () => {
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

  test('part boundaries make the fewest parts, and split the fewest clusters with that number of parts', () => {
    fc.assert(
      fc.property(clusters, capacities, (made, capacity) => {
        const units = unitsOf(made)
        const ends = partBoundaries(units, capacity, countParts(units, capacity))
        expect({ parts: ends.length, cuts: cutsClusters(units, ends) }).toEqual(leastCost(units, capacity))
      }),
    )
  })

  test('part boundaries use the spare units where they avoid the most splits, not at the first cluster', () => {
    // Four parts of five units leave three spare units. Keeping the second cluster together would use two of these
    // units, and two other clusters would then be split.
    const units = unitsOf([3, 3, 3, 2, 3, 3].map((length) => Array<'one'>(length).fill('one')))
    expect(partBoundaries(units, 5, countParts(units, 5))).toEqual([5, 9, 14, 17])
  })
})

const concat8 = concatenationElement({ width: 8, reference: 1, total: 2, sequence: 1 })
const concat16 = concatenationElement({ width: 16, reference: 1, total: 2, sequence: 1 })
const ports16 = portsElement({ width: 16, destination: 2948, source: 9200 })
const single = singleShiftElement(1)
const locking = lockingShiftElement(1)

const cases: readonly [string, readonly InformationElement[], Readonly<Record<Alphabet, number>>][] = [
  ['no header', [], { gsm7: 160, octets: 140, ucs2: 70 }],
  ['concatenation, 8-bit reference', [concat8], { gsm7: 153, octets: 134, ucs2: 67 }],
  ['concatenation, 16-bit reference', [concat16], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['16-bit ports', [ports16], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['16-bit ports and concatenation', [concat8, ports16], { gsm7: 146, octets: 128, ucs2: 64 }],
  ['single shift', [single], { gsm7: 155, octets: 136, ucs2: 68 }],
  ['locking shift', [locking], { gsm7: 155, octets: 136, ucs2: 68 }],
  ['single shift and concatenation', [concat8, single], { gsm7: 149, octets: 131, ucs2: 65 }],
  ['both shifts', [single, locking], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['both shifts and concatenation', [concat8, single, locking], { gsm7: 146, octets: 128, ucs2: 64 }],
]

test.each(cases)('a part with %s has the published capacity', (_, elements, expected) => {
  const { gsm7, octets, ucs2 } = expected
  expect(partCapacity('gsm7', elements)).toBe(gsm7)
  expect(partCapacity('octets', elements)).toBe(octets)
  expect(partCapacity('ucs2', elements)).toBe(ucs2)
})
