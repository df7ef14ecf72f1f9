import { expect, test } from 'vitest'
import { newTimedId, systemRandom } from './random.ts'

const first = Date.parse('2001-09-09T01:46:40Z')

test('ids with a time sort by their time', () => {
  const times = [0, 1, 62, 63, 64, 4_095, 4_096, 86_400_000, 10 ** 12, 3 * 10 ** 12].map((ms) => new Date(first + ms))
  const ids = times.map((at) => newTimedId(systemRandom, at))
  expect(ids.toSorted()).toEqual(ids)
})

test('ids with a time are valid, and differ within a millisecond', () => {
  const at = new Date()
  const ids = Array.from({ length: 1_000 }, () => newTimedId(systemRandom, at))
  expect(new Set(ids).size).toBe(1_000)
  expect(ids.filter((one) => !/^[A-Za-z0-9_-]{21}$/.test(one))).toEqual([])
  expect(new Set(ids.map((one) => one.slice(0, 7))).size).toBe(1)
})
