import type { Stamp } from '../journal/change.ts'

/**
 * The time of day, and whether it can be trusted. On a Raspberry Pi without a battery-backed clock, the time may be
 * wrong after a start.
 */
export interface TrustedTime {
  now(): { readonly wallMs: number; readonly trusted: boolean }
  stamp(): Stamp
  /** Local time with a numeric offset and milliseconds, as events contain it. */
  local(wallMs: number): string
  /** Minutes since local midnight. */
  minuteOfDay(wallMs: number): number
}

/** Returns the wall time, or undefined while the clock is not trusted. */
export function trustedMs(time: Pick<TrustedTime, 'now'>): number | undefined {
  const { wallMs, trusted } = time.now()
  return trusted ? wallMs : undefined
}

/**
 * Calculates the correct time of an untrusted stamp: the time of a later trusted stamp, minus the monotonic time
 * between the two. Returns undefined if the clock is still not trusted, or if the machine was restarted after the
 * stamp.
 */
export function datedMs(stamp: Stamp, now: Stamp): number | undefined {
  if (stamp.trusted) return stamp.wallMs
  if (!now.trusted || stamp.bootId !== now.bootId) return undefined
  return Math.round(now.wallMs - (now.monotonicMs - stamp.monotonicMs))
}
