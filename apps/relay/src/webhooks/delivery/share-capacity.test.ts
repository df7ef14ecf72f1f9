import { expect, test } from 'vitest'
import { shareCapacity } from './delivery-worker.ts'

const wants = (count: number, each: number) => new Map(Array.from({ length: count }, (_, key) => [BigInt(key), each]))
const total = (sizes: ReadonlyMap<bigint, number>) => [...sizes.values()].reduce((sum, size) => sum + size, 0)

test('a receiver gets all the deliveries that it requests while there is space', () => {
  expect(shareCapacity(wants(10, 400), 0)).toEqual(wants(10, 400))
  expect(shareCapacity(wants(1, 400), 19_600)).toEqual(wants(1, 400))
})

test('a hundred receivers together do not exceed the capacity', () => {
  expect(total(shareCapacity(wants(100, 400), 0))).toBeLessThanOrEqual(20_000)
  expect(total(shareCapacity(wants(100, 400), 15_000))).toBeLessThanOrEqual(5_000)
})

test('a receiver that requests few deliveries gets them even if other receivers request many', () => {
  const sizes = shareCapacity(new Map([...wants(200, 400), [1_000n, 7]]), 0)
  expect(sizes.get(1_000n)).toBe(7)
  expect(sizes.get(0n)).toBe(99)
})

test('each receiver still gets a few when others use the whole capacity', () => {
  expect(shareCapacity(wants(1_000, 400), 20_000)).toEqual(wants(1_000, 10))
  expect(shareCapacity(wants(3, 400), 30_000)).toEqual(wants(3, 10))
})
