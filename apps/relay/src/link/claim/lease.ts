/** How long a connection counts as alive without a renewal. Equal to three heartbeats of 20 s. */
export const LEASE_MS = 60_000

/**
 * Returns true if a device is connected. If a lease ends later than `latestLease`, it was written before the clock was
 * set back. Such a lease counts as expired until the relay of the device renews it.
 */
export function isLeased(leaseUntil: Date | null, now: Date): boolean {
  if (leaseUntil === null) return false
  const [untilMs, nowMs] = [leaseUntil.getTime(), now.getTime()]
  return untilMs > nowMs && untilMs <= latestLeaseMs(nowMs)
}

/**
 * Returns the latest time at which a lease can end. A lease that ends later was written before the clock was set back.
 */
export function latestLease(now: Date): Date {
  return new Date(latestLeaseMs(now.getTime()))
}

function latestLeaseMs(nowMs: number): number {
  return nowMs + LEASE_MS + SLACK_MS
}

/** Tolerance for small differences between the clocks of relays. */
const SLACK_MS = 5_000
