import { BoundedMap } from '../../limits/bounded-map.ts'
import type { Logbook } from '../../logs/logbook.ts'
import type { Attempted } from './attempt-delivery.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import type { DueReceiver } from './take-receivers-statement.ts'

export interface ReceiverHealthDeps {
  readonly breakers: Breakers
  readonly recorder: Pick<AttemptRecorder, 'updateHealth' | 'recordGone'>
  readonly logbook: Logbook
}

/**
 * Health of a receiver while a worker serves it. States: *usual*, and *on trial*, which begins after a pause and ends
 * when an attempt succeeds. The receiver is paused after a failure on trial, after too many failures, after a requested
 * pause or after 410 Gone. The worker then stops serving the receiver. The results of running requests do not change
 * this.
 */
export class ReceiverHealth {
  readonly #deps: ReceiverHealthDeps
  #isOnTrial: boolean
  #isPaused = false
  #mayHaveFailures: boolean

  constructor(deps: ReceiverHealthDeps, { pauses, hasFailures }: DueReceiver) {
    this.#deps = deps
    this.#isOnTrial = pauses > 0
    this.#mayHaveFailures = hasFailures
  }

  get isOnTrial(): boolean {
    return this.#isOnTrial
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Forgets failures, because the URL was changed. */
  forget(receiver: DueReceiver): void {
    this.#deps.breakers.forget(receiver.key)
  }

  note(receiver: DueReceiver, { attempt, verdict, error }: Attempted): void {
    const isSuccess = attempt.state === 'delivered'
    const isRecovered = isSuccess && this.#isOnTrial
    const isOpening = !this.#isPaused && this.#isFailing(receiver, isSuccess) && !verdict.isGone
    const pauseMs = Math.max(verdict.requestedPauseMs, isOpening ? breakerPauseMs(receiver.pauses) : 0)
    if (!isSuccess || this.#mayHaveFailures)
      this.#deps.recorder.updateHealth(receiver, { isSuccess, isRecovered, isOpening, pauseMs }, error)
    this.#mayHaveFailures = !isSuccess
    if (verdict.isGone) this.#deps.recorder.recordGone(receiver)
    if (isRecovered) this.#log(receiver, 'INFO', 'webhook recovered')
    if (isRecovered) this.#isOnTrial = false
    if (isOpening && receiver.pauses === 0)
      this.#log(receiver, 'WARN', `webhook failing, retrying less often until it recovers: ${error}`)
    this.#isPaused ||= pauseMs > 0 || verdict.isGone
  }

  /** Returns true if the receiver has to be paused. On trial, one failure is sufficient. */
  #isFailing({ key }: DueReceiver, isSuccess: boolean): boolean {
    const opens = this.#deps.breakers.opensAfter(key, isSuccess, performance.now())
    return opens || (this.#isOnTrial && !isSuccess)
  }

  #log({ accountId, id }: DueReceiver, priority: 'INFO' | 'WARN', message: string): void {
    this.#deps.logbook.write({ accountId, module: 'webhooks', priority, message, context: { webhookId: id } })
  }
}

const WINDOW_MS = 300_000
const LEAST_ATTEMPTS = 10
const FAILED_PART = 0.7
const MOST_RECEIVERS = 100_000

/** Returns how long a failing receiver is paused after this number of pauses in a row. */
export function breakerPauseMs(pauses: number): number {
  return Math.min(600_000, 30_000 * 2 ** Math.min(pauses, 10))
}

/**
 * Decides when a failing receiver is paused: after at least ten attempts in five minutes, if 70 % of them failed. The
 * pause postpones the deliveries of the receiver, and does not count as an attempt.
 */
export class Breakers {
  readonly #windows = new BoundedMap<bigint, Window>(MOST_RECEIVERS)

  /** Counts a result. If the receiver has to be paused, resets the count and returns true. */
  opensAfter(receiver: bigint, isSuccess: boolean, nowMs: number): boolean {
    const window = this.#windowOf(receiver, nowMs)
    window.attempts += 1
    if (!isSuccess) window.failures += 1
    const opens = !isSuccess && window.attempts >= LEAST_ATTEMPTS && window.failures >= window.attempts * FAILED_PART
    if (opens) this.forget(receiver)
    return opens
  }

  forget(receiver: bigint): void {
    this.#windows.delete(receiver)
  }

  #windowOf(receiver: bigint, nowMs: number): Window {
    const known = this.#windows.get(receiver)
    if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) return known
    const window = { sinceMs: nowMs, attempts: 0, failures: 0 }
    this.#windows.set(receiver, window)
    return window
  }
}

interface Window {
  readonly sinceMs: number
  attempts: number
  failures: number
}
