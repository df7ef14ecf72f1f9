import { expect, test } from 'vitest'
import { RestartPace } from './restart-pace.ts'

test('three restarts in a row are set up at once, the next after longer and longer, a minute at most', () => {
  const pace = new RestartPace()
  let nowMs = 0
  const pauses = Array.from({ length: 12 }, () => {
    const pauseMs = pace.pauseMs(nowMs)
    nowMs += pauseMs + 100
    return pauseMs
  })
  expect(pauses).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
})

test('a minute of quiet makes up for all of them', () => {
  const pace = new RestartPace()
  for (let restart = 0; restart < 10; restart += 1) pace.pauseMs(restart)
  expect(pace.pauseMs(200_000)).toBe(0)
})

test('a restart every ten minutes is set up at once, for ever', () => {
  const pace = new RestartPace()
  const pauses = Array.from({ length: 100 }, (_, restart) => pace.pauseMs(restart * 600_000))
  expect(new Set(pauses)).toEqual(new Set([0]))
})
