/**
 * The time limit for events without a promised time. Long, because the machine may be busy; it only has to find tests that
 * hang.
 */
export const patienceMs = 120_000
