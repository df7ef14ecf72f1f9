/** Seconds after an attempt that failed: the first two help a restart, the last ones a weekend. */
const PAUSES = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
const LONGEST_ASKED = 3_600
/** So often what a receiver asks for is taken as it is. */
const ASKED_FREELY = 3

/**
 * How long after the failed attempt the next one is due; undefined: that was the last. ±20 % keep those that failed
 * together from coming back together. A receiver may ask for a pause of its own (`Retry-After`); one that always asks for
 * a second must not thereby use up the retries in ten, so that from the fourth on the schedule is the least.
 *
 * @param attempts made so far, at least one
 * @param retries as the account set it: fewer cut the schedule, more repeat its last pause
 */
export function nextPauseMs(
  attempts: number,
  retries: number = PAUSES.length,
  { askedSeconds, chance }: { readonly askedSeconds: number | undefined; readonly chance: number },
): number | undefined {
  if (attempts > retries) return undefined
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0]
  const pauseMs = Math.round(pause * 1000 * (0.8 + 0.4 * chance))
  if (askedSeconds === undefined) return pauseMs
  return attempts <= ASKED_FREELY ? askedPauseMs(askedSeconds) : Math.max(askedPauseMs(askedSeconds), pauseMs)
}

/** What is obeyed of a pause that was asked for. */
export function askedPauseMs(askedSeconds: number): number {
  return Math.min(LONGEST_ASKED, Math.max(1, askedSeconds)) * 1000
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  // The parser takes much for a date that is none.
  const date = / GMT$/.test(header.trim()) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1000))
}
