import { expect, test, vi } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

const keys = (map: BoundedMap<number, string>) => map.entries().map(([key]) => key)
const filled = (size: number, count: number) => {
  const map = new BoundedMap<number, string>(size)
  for (let key = 0; key < count; key++) map.set(key, `value ${key}`)
  return map
}

test.each([10, 11, 15, 19, 20, 21, 1_000])('a map of %i entries keeps the ten latest, and at most twenty', (count) => {
  const kept = keys(filled(10, count))
  expect(kept).toEqual(expect.arrayContaining(Array.from({ length: 10 }, (_, index) => count - 1 - index)))
  expect(kept.length).toBeLessThanOrEqual(20)
})

test('keeps an entry as long as it is used', () => {
  const map = filled(10, 10)
  for (let key = 10; key < 200; key++) {
    map.set(key, 'value')
    if (key % 9 === 0) expect(map.get(0)).toBe('value 0')
  }
  expect(map.get(1)).toBeUndefined()
})

test('the map has each key once, with its latest value', () => {
  const map = filled(10, 15)
  map.set(3, 'new value')
  expect(map.get(3)).toBe('new value')
  expect(new Set(keys(map)).size).toBe(keys(map).length)
  map.delete(3)
  expect(map.get(3)).toBeUndefined()
})

test('replaces entries without a search for the oldest entry', () => {
  const map = filled(1_000, 1_000)
  const searches = (['keys', 'values', 'entries', 'forEach'] as const).map((name) => vi.spyOn(Map.prototype, name))
  for (let key = 1_000; key < 4_000; key++) map.set(key, 'value')
  const counts = searches.map((search) => search.mock.calls.length)
  vi.restoreAllMocks()
  expect(counts).toEqual([0, 0, 0, 0])
})
