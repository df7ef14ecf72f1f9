import { expect, test } from 'vitest'
import { frameReceived, type Heartbeat, pongReceived, startHeartbeat, tickHeartbeat } from './heartbeat.ts'

/** Ticks of 5 s until the verdict, when `live` happens after each. */
function secondsUntilDead(live: (heartbeat: Heartbeat, seconds: number) => Heartbeat, start = startHeartbeat): number {
  let heartbeat = start
  for (let seconds = 5; seconds <= 3_600; seconds += 5) {
    const step = tickHeartbeat(heartbeat)
    if (step.verdict === 'dead') return seconds
    heartbeat = live(step.heartbeat, seconds)
  }
  return Number.POSITIVE_INFINITY
}

const answered = (heartbeat: Heartbeat) => frameReceived(pongReceived(heartbeat, heartbeat.number))

test('an end that answers is never taken for dead', () => {
  expect(secondsUntilDead(answered)).toBe(Number.POSITIVE_INFINITY)
})

test('an end that falls silent is dead within 45 s', () => {
  for (const silentFrom of [0, 5, 10, 15, 20, 25, 100]) {
    const dead = secondsUntilDead((heartbeat, seconds) => (seconds <= silentFrom ? answered(heartbeat) : heartbeat))
    expect(dead - silentFrom).toBeLessThanOrEqual(45)
  }
})

test('an end that is heard but hears nothing is found out within 45 s', () => {
  for (const deafFrom of [0, 5, 10, 15, 20, 25, 100]) {
    const dead = secondsUntilDead((heartbeat, seconds) =>
      seconds <= deafFrom ? answered(heartbeat) : frameReceived(heartbeat),
    )
    expect(dead - deafFrom).toBeLessThanOrEqual(45)
  }
})

test('a ping goes out once in four ticks, and none while one is unanswered', () => {
  let heartbeat = startHeartbeat
  const verdicts = Array.from({ length: 8 }, () => {
    const step = tickHeartbeat(heartbeat)
    heartbeat = frameReceived(step.heartbeat)
    return step.verdict
  })
  expect(verdicts).toEqual(['alive', 'alive', 'alive', 'ping', 'alive', 'alive', 'alive', 'alive'])
})

test('an old answer is no answer', () => {
  const pinged = tickHeartbeat({ ...startHeartbeat, untilPing: 1, number: 6 }).heartbeat
  expect(pongReceived(pinged, 6).unanswered).toBe(0)
  expect(pongReceived(pinged, 7).unanswered).toBeUndefined()
})
