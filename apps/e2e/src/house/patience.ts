/**
 * How long what nobody promised a time for is waited for. A busy machine takes its time; what never comes is found all the
 * same.
 */
export const patienceMs = 120_000
