import { ApiError, ConnectionError, TimeoutError } from '../errors.ts'

export interface RetryRules {
  /** The largest number of repetitions of a failed request. */
  readonly maxRetries: number
  /** The longest pause between two attempts. If the server demands a longer pause, the request fails at once. */
  readonly maxDelayMs: number
}

const FIRST_DELAY_MS = 500

/**
 * Returns the pause before the next attempt, or undefined if the request must not be repeated. A request that is not
 * idempotent is repeated only if the answer shows that the server has not processed it.
 */
export function retryDelay(
  error: unknown,
  { attempt, isIdempotent, random }: { attempt: number; isIdempotent: boolean; random: number },
  { maxRetries, maxDelayMs }: RetryRules,
): number | undefined {
  if (attempt > maxRetries || !mayRepeat(error, isIdempotent)) return undefined
  const demanded = error instanceof ApiError ? error.retryAfterSeconds : undefined
  const backOff = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (attempt - 1))
  if (demanded === undefined) return backOff * (0.5 + random / 2)
  // A random pause, so that clients that were refused at the same time do not retry at the same time.
  return demanded * 1000 > maxDelayMs ? undefined : demanded * 1000 + random * Math.min(backOff, 1000)
}

function mayRepeat(error: unknown, isIdempotent: boolean): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return isIdempotent
  if (!(error instanceof ApiError)) return false
  if (error.status === 429) return true
  if (error.status === 503) return isIdempotent || error.retryAfterSeconds !== undefined
  return isIdempotent && [408, 502, 504].includes(error.status)
}

/** Waits. Rejects with the reason of the signal when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
