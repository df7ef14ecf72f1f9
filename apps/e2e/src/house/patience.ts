/**
 * The time limit for events whose time is not promised. The limit is long, because the machine may be busy, and because
 * it only has to find tests that hang.
 */
export const patienceMs = 120_000
