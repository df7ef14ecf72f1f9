import { expect, test } from 'vitest'
import { Cancellation } from './cancellation.ts'
import { Pause } from './pause.ts'
import { ManualClock } from './testing/manual-clock.ts'

function waiting(leastMs: number, delayMs: number, before: (pause: Pause) => void = () => undefined) {
  const clock = new ManualClock()
  const pause = new Pause(clock, leastMs)
  const cancellation = new Cancellation()
  before(pause)
  let overAtMs: number | undefined
  void pause.wait(delayMs, cancellation).then(() => {
    overAtMs = clock.nowMs()
  })
  return { clock, pause, cancellation, overAtMs: () => overAtMs }
}

test('lasts as long as requested, and leaves no timer running', async () => {
  const { clock, overAtMs } = waiting(100, 1000)
  await clock.advance(2000)
  expect(overAtMs()).toBe(1000)
  expect(clock.pending).toBe(0)
})

test('without a minimum, ends at once when it is woken', async () => {
  const { clock, pause, overAtMs } = waiting(0, 1000)
  await clock.advance(10)
  pause.wake()
  await clock.advance(2000)
  expect(overAtMs()).toBe(10)
  expect(clock.pending).toBe(0)
})

test('never ends before the minimum, even if it is woken several times, before or during the wait', async () => {
  const { clock, pause, overAtMs } = waiting(100, 1000, (each) => each.wake())
  pause.wake()
  await clock.advance(50)
  pause.wake()
  pause.wake()
  await clock.advance(2000)
  expect(overAtMs()).toBe(100)
  expect(clock.pending).toBe(0)
})

test('ends at once when it is woken after the minimum', async () => {
  const { clock, pause, overAtMs } = waiting(100, 1000)
  await clock.advance(300)
  pause.wake()
  await clock.advance(2000)
  expect(overAtMs()).toBe(300)
})

test('ends when its cancellation is cancelled', async () => {
  const { clock, cancellation, overAtMs } = waiting(100, 1000)
  await clock.advance(10)
  cancellation.cancel()
  await clock.advance(2000)
  expect(overAtMs()).toBe(10)
  expect(clock.pending).toBe(0)
})
