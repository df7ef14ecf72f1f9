import { expect, test } from 'vitest'
import { shareRoom } from './share-room.ts'

const wants = (count: number, each: number) => new Map(Array.from({ length: count }, (_, key) => [BigInt(key), each]))
const total = (sizes: ReadonlyMap<bigint, number>) => [...sizes.values()].reduce((sum, size) => sum + size, 0)

test('what there is room for is read', () => {
  expect(shareRoom(wants(10, 400), 0)).toEqual(wants(10, 400))
  expect(shareRoom(wants(1, 400), 19_600)).toEqual(wants(1, 400))
})

test('a hundred that are hungry together do not fill more than the room', () => {
  expect(total(shareRoom(wants(100, 400), 0))).toBeLessThanOrEqual(20_000)
  expect(total(shareRoom(wants(100, 400), 15_000))).toBeLessThanOrEqual(5_000)
})

test('whoever wants little gets it beside those that want much', () => {
  const sizes = shareRoom(new Map([...wants(200, 400), [1_000n, 7]]), 0)
  expect(sizes.get(1_000n)).toBe(7)
  expect(sizes.get(0n)).toBe(99)
})

test('where others hold everything each still gets a few', () => {
  expect(shareRoom(wants(1_000, 400), 20_000)).toEqual(wants(1_000, 10))
  expect(shareRoom(wants(3, 400), 30_000)).toEqual(wants(3, 10))
})
