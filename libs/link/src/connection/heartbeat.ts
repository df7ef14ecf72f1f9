/**
 * Notices that the other end is gone, or that nothing reaches it. Time is counted in ticks, four to a heartbeat (of 20 s),
 * not read from a clock: a process that slept wakes to one late tick, and finds what was said meanwhile in its buffers
 * before it takes anybody for dead.
 *
 * Dead is an end that said nothing for 9 ticks (45 s), and one that did not answer a ping for 5: where only one direction
 * is cut, the other end is still heard, but the answer to the next ping is missing 20 + 25 s after the cut at the latest.
 */
export interface Heartbeat {
  /** Ticks since anything was heard. */
  readonly silent: number
  readonly untilPing: number
  /** Ticks since a ping was sent that is not answered yet. */
  readonly unanswered: number | undefined
  readonly number: number
}

export const ticksPerHeartbeat = 4
const ticksUntilDead = 9
const ticksForAnswer = 5

export const startHeartbeat: Heartbeat = { silent: 0, untilPing: ticksPerHeartbeat, unanswered: undefined, number: 0 }

export function frameReceived(heartbeat: Heartbeat): Heartbeat {
  return heartbeat.silent === 0 ? heartbeat : { ...heartbeat, silent: 0 }
}

export function pongReceived(heartbeat: Heartbeat, number: number): Heartbeat {
  return number === heartbeat.number ? { ...heartbeat, unanswered: undefined } : heartbeat
}

export function tickHeartbeat(heartbeat: Heartbeat): { heartbeat: Heartbeat; verdict: 'alive' | 'ping' | 'dead' } {
  const silent = heartbeat.silent + 1
  const unanswered = heartbeat.unanswered === undefined ? undefined : heartbeat.unanswered + 1
  const isDead = silent >= ticksUntilDead || (unanswered ?? 0) >= ticksForAnswer
  if (isDead) return { heartbeat: { ...heartbeat, silent, unanswered }, verdict: 'dead' }
  const isDue = heartbeat.untilPing <= 1
  // A ping that waits for its answer is not overtaken by the next one: only the oldest tells how long it has been.
  if (!isDue || unanswered !== undefined) {
    const untilPing = isDue ? 1 : heartbeat.untilPing - 1
    return { heartbeat: { ...heartbeat, silent, unanswered, untilPing }, verdict: 'alive' }
  }
  const number = heartbeat.number + 1
  return { heartbeat: { silent, unanswered: 0, untilPing: ticksPerHeartbeat, number }, verdict: 'ping' }
}
