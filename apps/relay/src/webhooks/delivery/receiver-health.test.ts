import { expect, test } from 'vitest'
import { Breakers, breakerPauseMs } from './receiver-health.ts'

/** Makes attempts (`+` or `-`) one second apart and returns which of them causes a pause. */
function opensAt(attempts: string, everyMs = 1_000): number {
  const breakers = new Breakers()
  return [...attempts].findIndex((sign, index) => breakers.opensAfter(1n, sign === '+', index * everyMs))
}

test.each([
  ['ten failures', '----------', 9],
  ['nine failures', '---------', -1],
  ['seven failures in ten', '+++-------', 9],
  ['six failures in ten', '++++------', -1],
  ['a success among them, however late', '---------+-', 10],
  ['successes at last', '---------++++++', -1],
  ['half of them', '+-+-+-+-+-+-+-+-+-+-', -1],
])('%s: attempt %3$j causes a pause', (_, attempts, expected) => {
  expect(opensAt(attempts)).toBe(expected)
})

test('ten failures in an hour are not counted together', () => {
  expect(opensAt('----------', 360_000)).toBe(-1)
})

test('each receiver has its own count, which restarts after a pause or a change of URL', () => {
  const breakers = new Breakers()
  const fail = (receiver: bigint, times: number) =>
    Array.from({ length: times }, () => breakers.opensAfter(receiver, false, 0)).indexOf(true)
  expect(fail(1n, 9)).toBe(-1)
  expect(fail(2n, 9)).toBe(-1)
  expect(fail(1n, 1)).toBe(0)
  expect(fail(1n, 9)).toBe(-1)
  breakers.forget(2n)
  expect(fail(2n, 9)).toBe(-1)
})

test('a pause lasts half a minute at first and ten minutes at most', () => {
  expect([0, 1, 2, 3, 4, 5, 100].map((pauses) => breakerPauseMs(pauses) / 1000)).toEqual([
    30, 60, 120, 240, 480, 600, 600,
  ])
})
