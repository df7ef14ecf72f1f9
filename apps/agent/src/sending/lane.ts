import type { Clock, Timer } from '@smsgw/modem/clock'
import type { TrustedTime } from '../time/trusted-time.ts'
import { backOffMs } from './back-off.ts'
import type { Job } from './job.ts'
import {
  afterSending,
  noHistory,
  type Pace,
  type PaceHistory,
  paceVerdict,
  pauseAfter,
  urgentPriority,
} from './pace.ts'
import type { Queue } from './queue.ts'
import type { SendingSim } from './sim.ts'

/**
 * What one SIM sends, one message at a time: a hung modem, a paused SIM or a bad number is its lane's own trouble.
 *
 * idle → sending → idle, and paused (by pace, or because the modem or the network did not take anything) in between;
 * resting while there is no network, which may come and go every second: nothing of all that is forgotten by it.
 */
export class Lane {
  readonly sim: SendingSim
  readonly #parts: LaneParts
  #history: PaceHistory
  #sending: Job | undefined
  #isOver = false
  #isResting = false
  #timer: Timer | undefined
  #pausedUntilMs = 0
  #troubles = 0
  #told: string | undefined

  constructor(sim: SendingSim, parts: LaneParts, sentMs: readonly number[]) {
    this.sim = sim
    this.#parts = parts
    this.#history = sentMs.length === 0 ? noHistory : { sentMs, pauseMs: pauseAfter(parts.pace(), parts.chance()) }
  }

  /** What it is sending right now. */
  get sending(): Job | undefined {
    return this.#sending
  }

  /** Looks whether there is something to do. */
  wake(): void {
    if (this.#isOver || this.#isResting || this.#sending !== undefined) return
    this.#timer?.cancel()
    this.#timer = undefined
    const pause = this.#pauseMs()
    const now = this.#parts.clock.nowMs()
    let earliestMs = Number.POSITIVE_INFINITY
    const job = this.#parts.queue.first((each) => {
      const atMs = Math.max(
        this.#parts.mayGoAt(each, this.sim),
        each.command.priority >= urgentPriority ? this.#pausedUntilMs : pause,
      )
      if (atMs <= now) return true
      earliestMs = Math.min(earliestMs, atMs)
      return false
    })
    if (job !== undefined) void this.#send(job)
    else if (earliestMs < Number.POSITIVE_INFINITY) {
      this.#timer = this.#parts.clock.after(Math.min(longestSleepMs, earliestMs - now), () => this.wake())
    }
  }

  get isResting(): boolean {
    return this.#isResting
  }

  /** Nothing more is begun until it is resumed and woken. */
  rest(): void {
    this.#isResting = true
    this.#timer?.cancel()
  }

  resume(): void {
    this.#isResting = false
  }

  end(): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  /** Nothing was taken, for a reason that is the SIM's or the modem's: leave it for a while. */
  pause(firstMs: number, mostMs?: number): void {
    this.#troubles += 1
    this.#pausedUntilMs = this.#parts.clock.nowMs() + backOffMs(this.#troubles, firstMs, this.#parts.chance(), mostMs)
  }

  wentWell(): void {
    this.#troubles = 0
  }

  async #send(job: Job): Promise<void> {
    this.#sending = job
    const hadBegun = job.hasBegun
    try {
      await this.#parts.send(job, this)
    } finally {
      if (!hadBegun && job.hasBegun) {
        const { wallMs } = this.#parts.time.now()
        this.#history = afterSending(this.#parts.pace(), this.#history, wallMs, this.#parts.chance())
      }
      this.#sending = undefined
      this.wake()
    }
  }

  /** Until when the pace lets nothing pass, by the monotonic clock. */
  #pauseMs(): number {
    const pace = this.#parts.pace()
    const { wallMs, trusted } = this.#parts.time.now()
    if (!trusted && needsTime(pace)) return Number.POSITIVE_INFINITY
    const verdict = paceVerdict(pace, this.#history, wallMs, (ms) => this.#parts.time.minuteOfDay(ms))
    if (verdict.kind === 'go') {
      this.#told = undefined
      return this.#pausedUntilMs
    }
    const told = `${verdict.why} ${verdict.untilMs}`
    if (verdict.why !== 'pause' && this.#told !== told && this.#parts.queue.size > 0) {
      this.#told = told
      this.#parts.onHeld(this.sim, verdict.why, verdict.untilMs)
    }
    return Math.max(this.#pausedUntilMs, this.#parts.clock.nowMs() + verdict.untilMs - wallMs)
  }
}

export interface LaneParts {
  readonly queue: Queue
  readonly clock: Clock
  readonly time: TrustedTime
  readonly chance: () => number
  readonly pace: () => Pace
  /** By the monotonic clock; infinity: not by this SIM, or not for a reason that ends with a wake. */
  readonly mayGoAt: (job: Job, sim: SendingSim) => number
  readonly send: (job: Job, lane: Lane) => Promise<void>
  readonly onHeld: (sim: SendingSim, why: 'limit' | 'work-hours', untilWallMs: number) => void
}

/** A clock may be set while nobody looks. */
const longestSleepMs = 60_000
const dayMs = 24 * 60 * 60_000

function needsTime(pace: Pace): boolean {
  return pace.workHours !== undefined || (pace.limit !== undefined && pace.limit.periodMs >= dayMs)
}
