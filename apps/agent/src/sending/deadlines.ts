import type { Clock, Timer } from '@smsgw/modem/clock'
import type { TrustedTime } from '../time/trusted-time.ts'
import type { Job } from './job.ts'

/** Tells when messages have to end. While nothing vouches for the clock, none does. */
export class Deadlines {
  readonly #clock: Clock
  readonly #time: TrustedTime
  readonly #onPassed: (job: Job) => void
  readonly #jobs = new Set<Job>()
  #timer: Timer | undefined
  #timerMs = Number.POSITIVE_INFINITY

  constructor(clock: Clock, time: TrustedTime, onPassed: (job: Job) => void) {
    this.#clock = clock
    this.#time = time
    this.#onPassed = onPassed
  }

  watch(job: Job): void {
    this.#jobs.add(job)
    this.#sleepUntil(job.deadlineMs)
  }

  forget(job: Job): void {
    this.#jobs.delete(job)
  }

  look(): void {
    this.#timer?.cancel()
    this.#timerMs = Number.POSITIVE_INFINITY
    const { wallMs, trusted } = this.#time.now()
    if (!trusted) return
    let nextMs = Number.POSITIVE_INFINITY
    for (const job of this.#jobs) {
      if (job.deadlineMs <= wallMs) this.#onPassed(job)
      // What is at the modem, or in doubt, is looked at again.
      nextMs = Math.min(nextMs, Math.max(job.deadlineMs, wallMs + againMs))
    }
    if (this.#jobs.size > 0) this.#sleepUntil(nextMs)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#jobs.clear()
  }

  #sleepUntil(wallMs: number): void {
    if (wallMs >= this.#timerMs) return
    this.#timer?.cancel()
    this.#timerMs = wallMs
    // A clock may be set while nobody looks.
    const delayMs = Math.min(longestSleepMs, Math.max(0, wallMs - this.#time.now().wallMs))
    this.#timer = this.#clock.after(delayMs, () => this.look())
  }
}

const againMs = 1000
const longestSleepMs = 60_000
