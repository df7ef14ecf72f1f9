/**
 * Returns the time of the system clock at the start of the process, plus the time since then, in milliseconds since
 * 1970. With this clock, changes of the system clock do not make anything look old and do not delay anything. Times for
 * people and for the API need the system clock.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
