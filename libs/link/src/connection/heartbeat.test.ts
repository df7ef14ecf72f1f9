import { expect, test } from 'vitest'
import { frameReceived, type Heartbeat, pongReceived, startHeartbeat, tickHeartbeat } from './heartbeat.ts'

/**
 * Runs a tick every 5 s, and calls `live` after each tick. Returns the number of seconds until the result is `dead`.
 */
function secondsUntilDead(
  live: (heartbeat: Heartbeat, seconds: number) => Heartbeat,
  isWaiting = (_seconds: number) => false,
): number {
  let heartbeat = startHeartbeat
  for (let seconds = 5; seconds <= 3_600; seconds += 5) {
    const step = tickHeartbeat(heartbeat, isWaiting(seconds))
    if (step.verdict === 'dead') return seconds
    heartbeat = live(step.heartbeat, seconds)
  }
  return Number.POSITIVE_INFINITY
}

const answered = (heartbeat: Heartbeat) => frameReceived(pongReceived(heartbeat, heartbeat.number))

test('an end that answers stays alive', () => {
  expect(secondsUntilDead(answered)).toBe(Number.POSITIVE_INFINITY)
})

test('an end that sends nothing is dead within 45 s', () => {
  for (const silentFrom of [0, 5, 10, 15, 20, 25, 100]) {
    const dead = secondsUntilDead((heartbeat, seconds) => (seconds <= silentFrom ? answered(heartbeat) : heartbeat))
    expect(dead - silentFrom).toBeLessThanOrEqual(45)
  }
})

test('an end whose data does not arrive is dead within 45 s, even if it sends', () => {
  for (const deafFrom of [0, 5, 10, 15, 20, 25, 100]) {
    const dead = secondsUntilDead((heartbeat, seconds) =>
      seconds <= deafFrom ? answered(heartbeat) : frameReceived(heartbeat),
    )
    expect(dead - deafFrom).toBeLessThanOrEqual(45)
  }
})

test('an end that sends nothing is dead within 15 s while the other end waits for an answer', () => {
  for (const silentFrom of [0, 5, 10, 15, 20, 25, 100]) {
    const live = (heartbeat: Heartbeat, seconds: number) => (seconds <= silentFrom ? answered(heartbeat) : heartbeat)
    const dead = secondsUntilDead(live, (seconds) => seconds > silentFrom)
    expect(dead - silentFrom).toBeGreaterThanOrEqual(10)
    expect(dead - silentFrom).toBeLessThanOrEqual(15)
  }
})

test('a slow end that still sends is not dead within 15 s', () => {
  expect(secondsUntilDead(frameReceived, () => true)).toBeGreaterThanOrEqual(25)
})

test('sends a ping every four ticks, but no second ping while the first is unanswered', () => {
  let heartbeat = startHeartbeat
  const verdicts = Array.from({ length: 8 }, () => {
    const step = tickHeartbeat(heartbeat)
    heartbeat = frameReceived(step.heartbeat)
    return step.verdict
  })
  expect(verdicts).toEqual(['alive', 'alive', 'alive', 'ping', 'alive', 'alive', 'alive', 'alive'])
})

test('ignores the answer to an old ping', () => {
  const pinged = tickHeartbeat({ ...startHeartbeat, untilPing: 1, number: 6 }).heartbeat
  expect(pongReceived(pinged, 6).unanswered).toBe(0)
  expect(pongReceived(pinged, 7).unanswered).toBeUndefined()
})
