import type { Stamp } from '../journal/change.ts'

/**
 * The wall time of something that was stamped while nothing vouched for the clock, known from a stamp that can be trusted:
 * by what has passed since, when the machine has not been restarted in between. Undefined when nobody can tell.
 */
export function datedMs(stamp: Stamp, now: Stamp): number | undefined {
  if (stamp.trusted) return stamp.wallMs
  if (!now.trusted || stamp.bootId !== now.bootId) return undefined
  return Math.round(now.wallMs - (now.monotonicMs - stamp.monotonicMs))
}
