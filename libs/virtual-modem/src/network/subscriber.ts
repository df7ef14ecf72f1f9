import type { Clock, Timer } from '../clock.ts'
import type { Coverage } from './coverage.ts'
import type { DeliveryReply, Downlink, Station } from './station.ts'
import type { UssdDialogue } from './ussd-menu.ts'

/**
 * A SIM in the network, with the messages queued for it, oldest first.
 *
 * - empty: no message is queued.
 * - absent: messages are queued, but no modem is registered with this SIM.
 * - delivering: the first message was sent to the modem and its answer is pending. Without an answer within
 *   `answerWithinMs` the message stays queued and may arrive twice, as in real networks.
 * - waiting: the modem refused the first message. The network tries again when the modem reports free memory, when it
 *   registers again, and after `retryMs`, which doubles each time up to `longestRetryMs`.
 */
export class Subscriber {
  readonly msisdn: string
  readonly imsi: string
  coverage: Coverage
  ussd: UssdDialogue | undefined
  /** The requests that the network has not answered yet. It answers each request after its latency. */
  readonly ussdRequests = new Set<Timer>()
  station: Station | undefined
  readonly #options: SubscriberOptions
  #kept: Kept[] = []
  #state: 'resting' | 'delivering' | 'waiting' = 'resting'
  #attempt = 0
  #failures = 0
  #overtakable = false
  #timer: Timer | undefined
  #expiry: { readonly timer: Timer; readonly atMs: number } | undefined
  /** No queued message expires before this time. */
  #earliestExpiryMs = Number.POSITIVE_INFINITY

  constructor(msisdn: string, imsi: string, coverage: Coverage, options: SubscriberOptions) {
    this.msisdn = msisdn
    this.imsi = imsi
    this.coverage = coverage
    this.#options = options
  }

  get keptCount(): number {
    return this.#kept.length
  }

  attach(station: Station): void {
    this.station = station
    this.#failures = 0
    this.#deliverNext()
  }

  /** Must be called when the modem has left the network. Messages that it has not acknowledged stay queued. */
  detach(station: Station): void {
    if (this.station !== station) return
    this.station = undefined
    this.endUssd()
    this.#rest()
    if (this.#kept.length > 0) this.#options.onKept(this, 'absent')
  }

  /** Ends the open dialogue, and discards all requests that the network has not answered yet. */
  endUssd(): void {
    for (const request of this.ussdRequests) request.cancel()
    this.ussdRequests.clear()
    this.ussd = undefined
  }

  memoryAvailable(): void {
    this.#failures = 0
    if (this.#state === 'waiting') this.#deliverNext()
  }

  /** Adds a message. Returns false if the queue is full. */
  enqueue(message: Kept): boolean {
    if (this.#kept.length >= keptLimit) return false
    this.#kept.push(message)
    this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, message.expiresAtMs)
    this.#watchExpiry()
    if (this.station === undefined) this.#options.onKept(this, 'absent')
    if (this.#state === 'resting') this.#deliverNext()
    else if (this.#state === 'waiting' && this.#overtakable) this.#overtake()
    return true
  }

  /** Swaps the first two messages. Returns false if the queue has no second message. */
  #overtake(): boolean {
    const [first, second, ...others] = this.#kept
    if (first === undefined || second === undefined) return false
    this.#overtakable = false
    this.#kept = [second, first, ...others]
    this.#deliverNext()
    return true
  }

  #deliverNext(): void {
    this.#rest()
    this.#dropExpired()
    const message = this.#kept[0]
    const station = this.station
    if (message === undefined || station === undefined) return
    this.#state = 'delivering'
    const attempt = ++this.#attempt
    this.#timer = this.#options.clock.after(this.#options.transitMs(), () => {
      this.#timer = this.#options.clock.after(answerWithinMs, () => this.#answered(attempt, message, 'unanswered'))
      station.deliver(message, (reply) => this.#answered(attempt, message, reply))
    })
  }

  #answered(attempt: number, message: Kept, reply: DeliveryReply | 'unanswered'): void {
    if (attempt !== this.#attempt || this.#state !== 'delivering') return
    if (reply === 'taken') {
      this.#kept.shift()
      this.#failures = 0
      if (this.#kept.length === 0) this.#watchExpiry()
      this.#options.onArrived(this, message)
      message.whenSettled?.('delivered')
      this.#deliverNext()
      return
    }
    this.#timer?.cancel()
    if (reply === 'again') {
      this.#kept.shift()
      this.#options.clock.after(redeliverAfterMs, () => this.#deliverAgain(message))
      this.#deliverNext()
      return
    }
    this.#state = 'waiting'
    this.#overtakable = reply === 'later'
    if (this.#overtakable && this.#overtake()) return
    const retryMs = reply === 'later' ? overtakenWithinMs : this.#options.retryMs
    const delayMs = Math.min(retryMs * 2 ** this.#failures, longestRetryMs)
    this.#failures = Math.min(this.#failures + 1, 10)
    this.#timer = this.#options.clock.after(delayMs, () => this.#deliverNext())
    this.#options.onKept(this, reply === 'memory-full' ? 'memory-full' : 'unanswered')
  }

  #deliverAgain(message: Kept): void {
    if (!this.enqueue(message)) message.whenSettled?.('delivered')
  }

  #rest(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#state = 'resting'
    this.#attempt += 1
  }

  #dropExpired(): void {
    const nowMs = this.#options.clock.nowMs()
    if (this.#earliestExpiryMs > nowMs) return
    const withModem = this.#state === 'delivering' ? this.#kept[0] : undefined
    const expired = this.#kept.filter((message) => message.expiresAtMs <= nowMs && message !== withModem)
    this.#kept = this.#kept.filter((message) => !expired.includes(message))
    this.#earliestExpiryMs = Number.POSITIVE_INFINITY
    for (const message of this.#kept) {
      if (message !== withModem) this.#earliestExpiryMs = Math.min(this.#earliestExpiryMs, message.expiresAtMs)
    }
    for (const message of expired) {
      this.#options.onExpired(this)
      message.whenSettled?.('expired')
    }
  }

  /** Sets one timer, for the message that expires first. A message that expires later does not change the timer. */
  #watchExpiry(): void {
    const watched = this.#expiry
    const needed = this.#kept.length > 0 && this.#earliestExpiryMs < Number.POSITIVE_INFINITY
    if (needed && watched !== undefined && watched.atMs <= this.#earliestExpiryMs) return
    watched?.timer.cancel()
    this.#expiry = undefined
    if (!needed) return
    const nowMs = this.#options.clock.nowMs()
    // Limits the delay, because a longer delay would overflow a 32-bit timer, and an early timer is harmless.
    const delayMs = Math.min(Math.max(this.#earliestExpiryMs - nowMs, 0), 2 ** 31 - 1)
    const timer = this.#options.clock.after(delayMs, () => {
      this.#expiry = undefined
      this.#dropExpired()
      this.#watchExpiry()
    })
    this.#expiry = { timer, atMs: nowMs + delayMs }
  }
}

export interface Kept extends Downlink {
  /** The expiry on the monotonic clock; infinite for reports. */
  readonly expiresAtMs: number
  readonly whenSettled?: (outcome: 'delivered' | 'expired') => void
}

export interface SubscriberOptions {
  readonly clock: Clock
  readonly retryMs: number
  readonly transitMs: () => number
  readonly onArrived: (subscriber: Subscriber, message: Kept) => void
  readonly onKept: (subscriber: Subscriber, reason: 'absent' | 'memory-full' | 'unanswered') => void
  readonly onExpired: (subscriber: Subscriber) => void
}

/** TRAM plus the time of transit (24.011 §10). Without an answer within this time, the delivery has failed. */
const answerWithinMs = 45_000
/**
 * The network repeats a message only when the timers of the network have ended, which takes at least 12 s (24.011 §10).
 * Later messages do not wait for the repetition.
 */
const redeliverAfterMs = 15_000
/** How long the network holds back a delayed part. A message that arrives meanwhile overtakes the part. */
const overtakenWithinMs = 2000
const longestRetryMs = 600_000
const keptLimit = 10_000
