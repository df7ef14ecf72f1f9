import { expect, it } from 'vitest'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { partBoundaries } from './part-boundaries.ts'
import { septetUnits } from './text-units.ts'

it('reads each septet only a few times, for any number of parts', () => {
  const text = '{कि'.repeat(6000)
  const septets = septetsFromText(text, { locking: 6, single: 6 })!
  let reads = 0
  const counted = new Proxy(septets, {
    get: (target, key) => {
      reads++
      return Reflect.get(target, key)
    },
  })
  const units = septetUnits(text, counted)
  const capacity = 149
  partBoundaries(units, capacity, Math.ceil(units.length / capacity) + 1)
  expect(reads).toBeLessThan(5 * septets.length)
})
