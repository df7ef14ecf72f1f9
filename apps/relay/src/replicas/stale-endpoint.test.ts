import { expect, test } from 'vitest'
import { mostAgeOf } from './stale-endpoint.ts'

test.each([
  ['max-stale=30', 30_000],
  ['Max-Stale=0', 0],
  ['max-age=0, max-stale="5"', 5_000],
  ['max-stale', Infinity],
])('%s allows data of this age: %s ms', (header, ms) => {
  expect(mostAgeOf(header)).toBe(ms)
})

test.each([
  undefined,
  '',
  'no-cache',
  'max-age=60',
  'max-stale=30, no-cache',
  'no-store, max-stale',
  'max-stale=-1',
  'max-stale=soon',
  'x-max-stale=30',
])('%s allows no stale data', (header) => {
  expect(mostAgeOf(header)).toBeUndefined()
})
