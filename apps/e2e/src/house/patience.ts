/**
 * The time limit for events without a promised time. The limit is long because the machine may be busy. It only has to find tests
 * that hang.
 */
export const patienceMs = 120_000
