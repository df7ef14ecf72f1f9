import { askedPauseMs, nextPauseMs, retryAfterSeconds } from './delivery-schedule.ts'
import type { Outcome } from './guarded-client.ts'

export interface Verdict {
  readonly state: 'delivered' | 'failed' | 'waiting'
  /** Until the next attempt. */
  readonly pauseMs: number
  /** What the receiver asks for, as far as it is obeyed: for everything that it would be sent. 0: nothing. */
  readonly askedPauseMs: number
  /** It is not there any more, and says so. */
  readonly isGone: boolean
}

/**
 * What an attempt comes to.
 *
 * @param attempts with this one
 */
export function judgeOutcome(
  outcome: Exclude<Outcome, { readonly kind: 'broken-off' }>,
  {
    attempts,
    retries,
    nowMs,
    chance,
  }: {
    readonly attempts: number
    readonly retries: number | undefined
    readonly nowMs: number
    readonly chance: number
  },
): Verdict {
  const { status, retryAfter } = outcome.kind === 'replied' ? outcome.reply : { status: 0, retryAfter: undefined }
  if (status >= 200 && status <= 299) return { state: 'delivered', pauseMs: 0, askedPauseMs: 0, isGone: false }
  const askedSeconds = status === 429 || status === 503 ? retryAfterSeconds(retryAfter, nowMs) : undefined
  const pauseMs = nextPauseMs(attempts, retries, { askedSeconds, chance })
  return {
    state: pauseMs === undefined ? 'failed' : 'waiting',
    pauseMs: pauseMs ?? 0,
    askedPauseMs: askedSeconds === undefined ? 0 : askedPauseMs(askedSeconds),
    isGone: status === 410,
  }
}
