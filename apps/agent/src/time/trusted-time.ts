import type { Stamp } from '../journal/change.ts'

/** The time of day, and whether anything vouches for it: a Pi has no clock of its own. */
export interface TrustedTime {
  now(): { readonly wallMs: number; readonly trusted: boolean }
  stamp(): Stamp
  /** Local time with a numeric offset and milliseconds, as events tell it. */
  local(wallMs: number): string
  /** Minutes since midnight, local. */
  minuteOfDay(wallMs: number): number
}
