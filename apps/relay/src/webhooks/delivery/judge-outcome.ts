import type { RequestOutcome } from './client/guarded-client.ts'

export interface Verdict {
  readonly state: 'delivered' | 'failed' | 'waiting'
  /** The pause before the next attempt. */
  readonly pauseMs: number
  /**
   * The pause that the receiver requested for all its deliveries, limited to the accepted range; 0 if it requested
   * none.
   */
  readonly requestedPauseMs: number
  /** True if the receiver answered 410 Gone. */
  readonly isGone: boolean
}

/**
 * Decides the result of an attempt.
 *
 * @param attempts the number of attempts so far, including this attempt
 */
export function judgeOutcome(
  outcome: Exclude<RequestOutcome, { readonly kind: 'broken-off' }>,
  {
    attempts,
    retries,
    nowMs,
    fraction,
  }: {
    readonly attempts: number
    readonly retries: number | undefined
    readonly nowMs: number
    readonly fraction: number
  },
): Verdict {
  const { status, retryAfter } = outcome.kind === 'replied' ? outcome.reply : { status: 0, retryAfter: undefined }
  if (status >= 200 && status <= 299) return { state: 'delivered', pauseMs: 0, requestedPauseMs: 0, isGone: false }
  const requestedSeconds = status === 429 || status === 503 ? retryAfterSeconds(retryAfter, nowMs) : undefined
  const pauseMs = nextPauseMs(attempts, retries, { requestedSeconds, fraction })
  return {
    state: pauseMs === undefined ? 'failed' : 'waiting',
    pauseMs: pauseMs ?? 0,
    requestedPauseMs: requestedSeconds === undefined ? 0 : requestedPauseMs(requestedSeconds),
    isGone: status === 410,
  }
}

/**
 * The pause after each failed attempt, in seconds. The first two pauses are long enough for a restart of the receiver.
 * The last pauses are long enough for a weekend.
 */
const PAUSES = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
const LONGEST_REQUESTED = 3_600
/** Up to this attempt, a pause that the receiver requests may be shorter than the scheduled pause. */
const REQUESTED_FREELY = 3

/**
 * Returns how long after a failed attempt the next attempt is due, or undefined after the last attempt. The pause
 * varies by ±20 %, so that deliveries that failed together are not retried together. A receiver may request a pause
 * (`Retry-After`). From the fourth attempt on, the pause is at least as long as in the schedule. Otherwise a receiver
 * that always requests one second would use up its retries in ten seconds.
 *
 * @param attempts the number of attempts so far, at least one
 * @param retries the setting of the account: a smaller number shortens the schedule, a larger number repeats its last
 * pause
 */
export function nextPauseMs(
  attempts: number,
  retries: number = PAUSES.length,
  { requestedSeconds, fraction }: { readonly requestedSeconds: number | undefined; readonly fraction: number },
): number | undefined {
  if (attempts > retries) return undefined
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0]
  const pauseMs = Math.round(pause * 1000 * (0.8 + 0.4 * fraction))
  if (requestedSeconds === undefined) return pauseMs
  return attempts <= REQUESTED_FREELY
    ? requestedPauseMs(requestedSeconds)
    : Math.max(requestedPauseMs(requestedSeconds), pauseMs)
}

/** Limits a requested pause to the accepted range. */
function requestedPauseMs(requestedSeconds: number): number {
  return Math.min(LONGEST_REQUESTED, Math.max(1, requestedSeconds)) * 1000
}

/** Parses `Retry-After` (RFC 9110 §10.2.3), which is a number of seconds or a date. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  // Accepts only GMT, because Date.parse also accepts strings that are not HTTP dates.
  const date = / GMT$/.test(header.trim()) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1000))
}
