/**
 * Returns the time of the system clock at the start of the process, plus the time since then, in milliseconds since
 * 1970. So changes of the system clock make nothing look old, and delay nothing. Times for people and for the API need
 * the system clock.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
