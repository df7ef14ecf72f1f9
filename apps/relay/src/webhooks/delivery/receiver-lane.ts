import { type AttemptDeps, type Attempted, attemptDelivery } from './attempt-delivery.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import type { ObservedAttempt } from './delivery-metrics.ts'
import type { DueDelivery } from './read-due-statement.ts'
import { ReceiverHealth, type ReceiverHealthDeps } from './receiver-health.ts'
import type { DueReceiver } from './take-receivers-statement.ts'

export interface ReceiverLaneDeps extends AttemptDeps, ReceiverHealthDeps {
  readonly recorder: Pick<AttemptRecorder, 'record' | 'updateHealth' | 'recordGone' | 'release'>
  readonly observe: (attempt: ObservedAttempt) => void
}

export interface ReceiverLaneOptions {
  /** The number that the worker had when it took the receiver. */
  readonly worker: number
  readonly receiver: DueReceiver
  readonly takenAtMs: number
  /** Called when the lane can take more deliveries. */
  readonly onNeedsMore: () => void
  readonly onDone: () => void
}

/**
 * Sends deliveries to one receiver, at most five at a time, or one at a time while the receiver is on trial. A delivery
 * is held from the moment it is read until its result is recorded.
 *
 * States: *serving* until nothing is due, `end` is called, or the receiver is paused; *ending* until the running
 * requests are finished and recorded (the next worker sends the waiting deliveries); *done* when the receiver is
 * released.
 */
export class ReceiverLane {
  readonly worker: number
  readonly #deps: ReceiverLaneDeps
  readonly #options: ReceiverLaneOptions
  readonly #health: ReceiverHealth
  readonly #held = new Set<bigint>()
  #receiver: DueReceiver
  #renewedAtMs: number
  #waiting: DueDelivery[] = []
  #inFlight = 0
  #size: number
  #fedAtMs = Number.NEGATIVE_INFINITY
  #isDry = false
  #isEnding = false
  #keepsLease = false
  #isDone = false

  constructor(deps: ReceiverLaneDeps, options: ReceiverLaneOptions) {
    this.worker = options.worker
    this.#deps = deps
    this.#options = options
    this.#receiver = options.receiver
    this.#renewedAtMs = options.takenAtMs
    this.#health = new ReceiverHealth(deps, options.receiver)
    this.#size = this.#health.isOnTrial ? 1 : FIRST_SIZE
  }

  get held(): ReadonlySet<bigint> {
    return this.#held
  }

  /** The number of deliveries to read next. */
  get wants(): number {
    const isLow = this.#waiting.length <= this.#size / 4
    return this.#isEnding || !isLow ? 0 : Math.min(this.#size - this.#waiting.length, MOST_HELD - this.#held.size)
  }

  needsRenewal(nowMs: number): boolean {
    return !this.#isEnding && nowMs - this.#renewedAtMs > RENEW_MS
  }

  /** Extends the lease and updates the receiver. */
  renew(receiver: DueReceiver, takenAtMs: number): void {
    if (receiver.url !== this.#receiver.url) {
      this.#health.forget(receiver)
      // Waiting deliveries were read for the earlier URL, so they must be read again.
      this.#isDry = false
      for (const { key } of this.#waiting.splice(0)) this.#held.delete(key)
    }
    this.#receiver = receiver
    this.#renewedAtMs = takenAtMs
    this.#advance()
  }

  /** @param requested the number of deliveries that were requested. If fewer are given, no more deliveries are due. */
  feed(deliveries: readonly DueDelivery[], requested: number): void {
    if (this.#isEnding) return
    this.#isDry = deliveries.length < requested
    const nowMs = performance.now()
    const isQuick = nowMs - this.#fedAtMs < QUICK_MS
    // Next time, twice as many deliveries are read, so that the lane does not wait for the database.
    if (isQuick && !this.#isDry && !this.#health.isOnTrial) this.#size = Math.min(MOST_WAITING, this.#size * 2)
    this.#fedAtMs = nowMs
    for (const { key } of deliveries) this.#held.add(key)
    this.#waiting.push(...deliveries)
    this.#advance()
  }

  /** Finishes running requests and starts no more. */
  end(): void {
    this.#isEnding = true
    for (const { key } of this.#waiting.splice(0)) this.#held.delete(key)
    this.#advance()
  }

  #advance(): void {
    const most = this.#health.isOnTrial ? 1 : IN_FLIGHT_EACH
    // A worker whose lease was not renewed for this time sends nothing until the lease is renewed.
    const isSure = performance.now() - this.#renewedAtMs < SURE_MS
    while (isSure && this.#inFlight < most && this.#waiting.length > 0)
      void this.#deliver(this.#waiting.shift() as DueDelivery)
    if (this.#held.size === 0 && (this.#isDry || this.#isEnding)) this.#release()
    else if (!this.#isDry && this.wants > 0) this.#options.onNeedsMore()
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const receiver = this.#receiver
    this.#inFlight += 1
    const attempted = await attemptDelivery(this.#deps, receiver, delivery)
    this.#inFlight -= 1
    if (attempted !== undefined) {
      const recording = this.#deps.recorder.record(attempted.attempt)
      this.#note(receiver, delivery, attempted)
      this.#advance()
      if (!(await recording)) this.#giveUp()
    }
    this.#held.delete(delivery.key)
    this.#advance()
  }

  #note(receiver: DueReceiver, { id, event, attempts, ageSeconds }: DueDelivery, attempted: Attempted): void {
    const wasOnTrial = this.#health.isOnTrial
    const { state, durationMs } = attempted.attempt
    const sinceEventSeconds = attempts === 0 ? ageSeconds : undefined
    this.#deps.observe({ result: state, seconds: durationMs / 1000, sinceEventSeconds })
    this.#health.note(receiver, attempted)
    if (state === 'failed') {
      const message = `webhook delivery failed permanently: ${attempted.error}`
      const context = { webhookId: receiver.id, eventId: id, event }
      this.#deps.logbook.write({
        accountId: receiver.accountId,
        module: 'webhooks',
        priority: 'WARN',
        message,
        context,
      })
    }
    if (this.#health.isPaused) this.end()
    else if (wasOnTrial && !this.#health.isOnTrial) {
      this.#size = FIRST_SIZE
      this.#isDry = false
    }
  }

  /**
   * Gives up the lane. Keeps the lease if results cannot be recorded, so that events are repeated at most once per
   * lease.
   */
  #giveUp(): void {
    this.#keepsLease = true
    this.end()
  }

  #release(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#isEnding = true
    const released = this.#keepsLease ? undefined : this.#deps.recorder.release(this.worker, this.#receiver.key)
    void Promise.resolve(released).then(this.#options.onDone)
  }
}

/**
 * The largest number of concurrent requests per receiver. It applies to all relays together, because only one worker
 * serves a receiver.
 */
const IN_FLIGHT_EACH = 5
const FIRST_SIZE = 10
const MOST_WAITING = 800
/** If a lane reads deliveries twice within this time, its next read requests more deliveries. */
const QUICK_MS = 100
/** The limit of deliveries in memory, including those whose result has not been recorded. */
const MOST_HELD = 1_000
const RENEW_MS = 400
/** The lease is longer than this time plus the duration of a request. A request takes at most 16 s. */
const SURE_MS = 3_000
