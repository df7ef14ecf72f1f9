import { type Attempted, type AttemptNeeds, attemptDelivery } from './attempt-delivery.ts'
import type { ObservedAttempt } from './delivery-metrics.ts'
import type { DueDelivery } from './read-due-statement.ts'
import { ReceiverHealth, type ReceiverHealthNeeds } from './receiver-health.ts'
import type { Settler } from './settler.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface ReceiverLaneNeeds extends AttemptNeeds, ReceiverHealthNeeds {
  readonly settler: Pick<Settler, 'record' | 'noteHealth' | 'noteGone' | 'release'>
  readonly observe: (attempt: ObservedAttempt) => void
}

export interface ReceiverLaneOptions {
  /** The worker's number when it took the receiver. */
  readonly worker: number
  readonly receiver: Receiver
  readonly takenAtMs: number
  /** It could do with more deliveries. */
  readonly onHungry: () => void
  readonly onDone: () => void
}

/**
 * Sends to one receiver what it is given, at most five at a time, and one alone to a receiver on trial. A delivery is held
 * while it waits, while it is in flight, and until what came of it is written down.
 *
 * *Serving* until it has run dry, is told to end, or the receiver is to be left alone. Then *ending*: what is in flight is
 * finished and written down, the rest is left to whoever comes next, and at last the receiver is released: *done*.
 */
export class ReceiverLane {
  readonly worker: number
  readonly #needs: ReceiverLaneNeeds
  readonly #options: ReceiverLaneOptions
  readonly #health: ReceiverHealth
  readonly #held = new Set<bigint>()
  #receiver: Receiver
  #renewedAtMs: number
  #waiting: DueDelivery[] = []
  #inFlight = 0
  #size: number
  #fedAtMs = Number.NEGATIVE_INFINITY
  #isDry = false
  #isEnding = false
  #keepsLease = false
  #isDone = false

  constructor(needs: ReceiverLaneNeeds, options: ReceiverLaneOptions) {
    this.worker = options.worker
    this.#needs = needs
    this.#options = options
    this.#receiver = options.receiver
    this.#renewedAtMs = options.takenAtMs
    this.#health = new ReceiverHealth(needs, options.receiver)
    this.#size = this.#health.isOnTrial ? 1 : FIRST_SIZE
  }

  get held(): ReadonlySet<bigint> {
    return this.#held
  }

  /** How many more deliveries it could do with, if there are any. */
  get wants(): number {
    const isLow = this.#waiting.length <= this.#size / 4
    return this.#isEnding || !isLow ? 0 : Math.min(this.#size - this.#waiting.length, MOST_HELD - this.#held.size)
  }

  needsRenewal(nowMs: number): boolean {
    return !this.#isEnding && nowMs - this.#renewedAtMs > RENEW_MS
  }

  /** The receiver is ours for longer, and this is what is known of it now. */
  renew(receiver: Receiver, takenAtMs: number): void {
    if (receiver.url !== this.#receiver.url) this.#health.forget(receiver)
    this.#receiver = receiver
    this.#renewedAtMs = takenAtMs
    this.#advance()
  }

  /** @param asked fewer than that are all that there are */
  feed(deliveries: readonly DueDelivery[], asked: number): void {
    if (this.#isEnding) return
    this.#isDry = deliveries.length < asked
    const nowMs = performance.now()
    const isQuick = nowMs - this.#fedAtMs < QUICK_MS
    // Twice as many the next time, so that it is not kept waiting by the database.
    if (isQuick && !this.#isDry && !this.#health.isOnTrial) this.#size = Math.min(MOST_WAITING, this.#size * 2)
    this.#fedAtMs = nowMs
    for (const { key } of deliveries) this.#held.add(key)
    this.#waiting.push(...deliveries)
    this.#advance()
  }

  /** Finishes what is in flight, and takes nothing more. */
  end(): void {
    this.#isEnding = true
    for (const { key } of this.#waiting.splice(0)) this.#held.delete(key)
    this.#advance()
  }

  #advance(): void {
    const most = this.#health.isOnTrial ? 1 : IN_FLIGHT_EACH
    // Whoever could not ask for so long whether it still has the receiver waits until it can.
    const isSure = performance.now() - this.#renewedAtMs < SURE_MS
    while (isSure && this.#inFlight < most && this.#waiting.length > 0)
      void this.#deliver(this.#waiting.shift() as DueDelivery)
    if (this.#held.size === 0 && (this.#isDry || this.#isEnding)) this.#release()
    else if (!this.#isDry && this.wants > 0) this.#options.onHungry()
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const receiver = this.#receiver
    this.#inFlight += 1
    const attempted = await attemptDelivery(this.#needs, receiver, delivery)
    this.#inFlight -= 1
    if (attempted !== undefined) {
      const recording = this.#needs.settler.record(attempted.attempt)
      this.#note(receiver, delivery, attempted)
      this.#advance()
      if (!(await recording)) this.#giveUp()
    }
    this.#held.delete(delivery.key)
    this.#advance()
  }

  #note(receiver: Receiver, { id, event, attempts, ageSeconds }: DueDelivery, attempted: Attempted): void {
    const wasOnTrial = this.#health.isOnTrial
    const { state, durationMs } = attempted.attempt
    const sinceEventSeconds = attempts === 0 ? ageSeconds : undefined
    this.#needs.observe({ result: state, seconds: durationMs / 1000, sinceEventSeconds })
    this.#health.note(receiver, attempted)
    if (state === 'failed') {
      const message = `a webhook gave up on an event: ${attempted.error}`
      const context = { webhookId: receiver.id, eventId: id, event }
      this.#needs.logbook.write({
        accountId: receiver.accountId,
        module: 'webhooks',
        priority: 'WARN',
        message,
        context,
      })
    }
    if (this.#health.isLeftAlone) this.end()
    else if (wasOnTrial && !this.#health.isOnTrial) {
      this.#size = FIRST_SIZE
      this.#isDry = false
    }
  }

  /** What cannot be written down is sent again, and again: only as often as a lease runs out. */
  #giveUp(): void {
    this.#keepsLease = true
    this.end()
  }

  #release(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#isEnding = true
    const released = this.#keepsLease ? undefined : this.#needs.settler.release(this.worker, this.#receiver.key)
    void Promise.resolve(released).then(this.#options.onDone)
  }
}

/** To one receiver, over all replicas. */
const IN_FLIGHT_EACH = 5
const FIRST_SIZE = 10
const MOST_WAITING = 800
/** Whoever has taken most of what it was given so soon could do with more at a time. */
const QUICK_MS = 100
/** With those that are answered and not yet written down. */
const MOST_HELD = 1_000
const RENEW_MS = 400
/** A request takes 16 s at most, and the lease is longer than both together. */
const SURE_MS = 3_000
