/**
 * Detects that the other end is gone or receives nothing. Time is not read from a clock, but counted in ticks, four per
 * heartbeat (20 s). So a process that was suspended receives only one late tick, and reads the frames in its buffers
 * before it decides that the other end is gone.
 *
 * An end is dead when it sent nothing for 9 ticks (45 s), or did not answer a ping within 5 ticks. The second rule
 * detects a connection that fails in one direction: the next ping is sent at most 20 s after the failure, and 25 s
 * later its answer is overdue. While this end waits for an answer to a frame, it sends a ping at once, and regards the
 * other end as dead if nothing arrives for two ticks after this ping, which is 10 to 15 s after the connection has
 * failed.
 */
export interface Heartbeat {
  /** The number of ticks since the last frame. */
  readonly silent: number
  readonly untilPing: number
  /** The number of ticks since the unanswered ping; undefined if every ping was answered. */
  readonly unanswered: number | undefined
  readonly number: number
}

export const ticksPerHeartbeat = 4
const ticksUntilDead = 9
const ticksForAnswer = 5
const ticksForUrgentAnswer = 2

export const startHeartbeat: Heartbeat = { silent: 0, untilPing: ticksPerHeartbeat, unanswered: undefined, number: 0 }

export function frameReceived(heartbeat: Heartbeat): Heartbeat {
  return heartbeat.silent === 0 ? heartbeat : { ...heartbeat, silent: 0 }
}

export function pongReceived(heartbeat: Heartbeat, number: number): Heartbeat {
  return number === heartbeat.number ? { ...heartbeat, unanswered: undefined } : heartbeat
}

/** `isWaiting`: this end waits for an answer that is small enough to arrive within seconds on a slow connection. */
export function tickHeartbeat(
  heartbeat: Heartbeat,
  isWaiting = false,
): { heartbeat: Heartbeat; verdict: 'alive' | 'ping' | 'dead' } {
  const silent = heartbeat.silent + 1
  const unanswered = heartbeat.unanswered === undefined ? undefined : heartbeat.unanswered + 1
  const isSilent = isWaiting && silent >= ticksForUrgentAnswer && (unanswered ?? 0) >= ticksForUrgentAnswer
  const isDead = isSilent || silent >= ticksUntilDead || (unanswered ?? 0) >= ticksForAnswer
  if (isDead) return { heartbeat: { ...heartbeat, silent, unanswered }, verdict: 'dead' }
  const isDue = isWaiting || heartbeat.untilPing <= 1
  // Sends no second ping while one is unanswered, because the time without an answer is counted from the oldest ping.
  if (!isDue || unanswered !== undefined) {
    const untilPing = isDue ? 1 : heartbeat.untilPing - 1
    return { heartbeat: { ...heartbeat, silent, unanswered, untilPing }, verdict: 'alive' }
  }
  const number = heartbeat.number + 1
  return { heartbeat: { silent, unanswered: 0, untilPing: ticksPerHeartbeat, number }, verdict: 'ping' }
}
