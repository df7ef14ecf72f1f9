import { expect, test } from 'vitest'
import { partsOf } from './list-parts.ts'

test('parts hold all items in their order, with the place of their first', () => {
  expect(partsOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
    { start: 0, some: ['a', 'b'] },
    { start: 2, some: ['c', 'd'] },
    { start: 4, some: ['e'] },
  ])
  expect(partsOf([], 2)).toEqual([])
})
