import type { Log } from '@smsgw/daemon/log/log'
import type { Clock } from '../../clock.ts'
import { everySecond } from '../every-second.ts'

export interface DatabaseClockDeps {
  /** Reads the database's clock, in milliseconds since 1970. */
  readonly readMs: () => Promise<number>
  readonly monotonicMs: () => number
  readonly log: Pick<Log, 'warn'>
}

/**
 * The clock of the database, which all relays share. It is read once per second, and the monotonic clock is used
 * between readings. So a wrong or changed system clock of a relay affects no due time, lease or token.
 *
 * The uncertainty of a reading is half its round trip. Differences below the uncertainty are ignored. A difference that
 * may come from a slow earlier reading is not reported as a jump.
 */
export class DatabaseClock implements Clock {
  readonly #deps: DatabaseClockDeps
  #databaseMs = 0
  #monotonicMs = 0
  /** The largest error of the present time. A later reading that confirms the time can lower it. */
  #uncertainMs = 0
  #isReading = false
  #isHandling = false
  #stopReading: (() => void) | undefined
  #onJump: ((byMs: number) => Promise<void>) | undefined
  /** The sum of the jumps that `onJump` has not handled yet. */
  #jumpMs = 0

  private constructor(deps: DatabaseClockDeps) {
    this.#deps = deps
  }

  static async start(deps: DatabaseClockDeps): Promise<DatabaseClock> {
    const clock = new DatabaseClock(deps)
    clock.#set(await clock.#measure())
    clock.#stopReading = everySecond(() => void clock.look())
    return clock
  }

  now(): Date {
    return new Date(Math.round(this.#databaseMs + this.#deps.monotonicMs() - this.#monotonicMs))
  }

  /**
   * Called when the database's clock was changed, with a negative value if it was set back. The call is repeated until
   * it succeeds.
   */
  set onJump(listener: (byMs: number) => Promise<void>) {
    this.#onJump = listener
  }

  stop(): void {
    this.#stopReading?.()
  }

  /** Reads the database's clock. While the database is unavailable, only the monotonic clock is used. */
  async look(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const reading = await this.#measure()
      const byMs = reading.databaseMs - this.now().getTime()
      const largestErrorMs = reading.uncertainMs + this.#uncertainMs
      if (Math.abs(byMs) > reading.uncertainMs) this.#set(reading)
      else this.#uncertainMs = Math.min(this.#uncertainMs, Math.abs(byMs) + reading.uncertainMs)
      if (Math.abs(byMs) > largestErrorMs + JUMP_MS) this.#jumped(byMs)
    } catch {
      // Nothing is reported here, because other queries report that the database is unavailable.
    } finally {
      this.#isReading = false
    }
    await this.#handleJump()
  }

  async #measure(): Promise<Reading> {
    const startedMs = this.#deps.monotonicMs()
    const readMs = await this.#deps.readMs()
    const halfTripMs = (this.#deps.monotonicMs() - startedMs) / 2
    return { databaseMs: readMs + halfTripMs, uncertainMs: halfTripMs }
  }

  #set({ databaseMs, uncertainMs }: Reading): void {
    this.#databaseMs = databaseMs
    this.#uncertainMs = uncertainMs
    this.#monotonicMs = this.#deps.monotonicMs()
  }

  #jumped(byMs: number): void {
    const seconds = Math.round(Math.abs(byMs) / 1000)
    this.#deps.log.warn(`database clock moved ${byMs < 0 ? 'back' : 'forward'} by ${seconds} s`)
    this.#jumpMs += byMs
  }

  /**
   * Handles jumps separately from readings, so that the clock follows a second jump while the first is being handled.
   */
  async #handleJump(): Promise<void> {
    if (this.#jumpMs === 0 || this.#isHandling) return
    this.#isHandling = true
    const handledMs = this.#jumpMs
    try {
      await this.#onJump?.(handledMs)
      this.#jumpMs -= handledMs
    } catch {
      // Keeps the jump, so that the next reading handles it again.
    } finally {
      this.#isHandling = false
    }
  }
}

interface Reading {
  readonly databaseMs: number
  /** Half the round trip of the reading. */
  readonly uncertainMs: number
}

/** Smaller changes are normal clock corrections. */
const JUMP_MS = 1_000
