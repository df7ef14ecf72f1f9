/** How long a connection counts as alive without a renewal: three heartbeats of 20 s. */
export const LEASE_MS = 60_000

/**
 * Returns whether a device is connected. A lease that ends later than `latestLease` was written before the clock was
 * set back and counts as expired; the relay that holds the device renews it.
 */
export function isLeased(leaseUntil: Date | null, now: Date): boolean {
  if (leaseUntil === null) return false
  return leaseUntil > now && leaseUntil <= latestLease(now)
}

/** The latest possible end of a lease, unless the clock was set back. */
export function latestLease(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS + SLACK_MS)
}

/** Tolerance between relays whose clocks differ a little. */
const SLACK_MS = 5_000
