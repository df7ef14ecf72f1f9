import type { Clock } from '../clock.ts'
import type { Statements } from '../store/database.ts'
import { type CountedTraffic, countTraffic } from './count-traffic-statement.ts'

export interface TrafficWindow {
  readonly accountId: string
  /** The start of the first time bucket. */
  readonly from: Date
  readonly stepSeconds: number
  readonly buckets: number
}

/** A message in a chart takes about 2 µs to count, so time buckets with fewer messages are counted for each request. */
const FEW_MESSAGES = 500
/** The charts of this number of accounts and periods are kept. One has at most 96 time buckets. */
const MOST_WINDOWS = 100
/** The time buckets in the first statement. Later statements have more buckets if this one was fast. */
const FIRST_BUCKETS = 8
/** Far below the time limit of statements. */
const FAST_MS = 500

interface KeptBucket {
  readonly traffic: CountedTraffic
  readonly countedAtMs: number
  readonly freshUntilMs: number
}

type KeptWindow = Map<number, KeptBucket>

/**
 * Counts the messages in each time bucket, and keeps the counts of full buckets in memory. The console requests a chart
 * again every few seconds, and with a million messages a week, counting all of them takes seconds.
 *
 * A report that a device sends late changes a bucket that has ended. So a kept bucket is counted again when a tenth of
 * the time since its end has passed: a bucket that ended an hour ago after six minutes, one that ended a day ago after
 * two hours.
 */
export class KeptTraffic {
  readonly #clock: Clock
  readonly #windows = new Map<string, KeptWindow>()
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Requests for the same chart wait for each other, so that they do not count the same messages. */
  async read(statements: Statements, window: TrafficWindow): Promise<CountedTraffic[]> {
    const name = `${window.accountId} ${window.stepSeconds}`
    const turn = (this.#turns.get(name) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#count(statements, window, this.#windowOf(name)))
    this.#turns.set(name, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name)
    }
  }

  /** Moves the window to the end, so that the first windows are those that were not used for the longest time. */
  #windowOf(name: string): KeptWindow {
    const window: KeptWindow = this.#windows.get(name) ?? new Map()
    this.#windows.delete(name)
    this.#windows.set(name, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > MOST_WINDOWS && oldest !== undefined) this.#windows.delete(oldest)
    return window
  }

  async #count(
    statements: Statements,
    { accountId, from, stepSeconds, buckets }: TrafficWindow,
    kept: KeptWindow,
  ): Promise<CountedTraffic[]> {
    const stepMs = stepSeconds * 1000
    const starts = Array.from({ length: buckets }, (_, index) => from.getTime() + index * stepMs)
    for (const at of kept.keys()) if (at < from.getTime()) kept.delete(at)
    const nowMs = this.#clock.now().getTime()
    const counted = new Map<number, CountedTraffic>()
    for (const at of starts) {
      const bucket = kept.get(at)
      if (bucket === undefined) continue
      // A count from the future is from before the clock was set back, when the bucket may not have ended.
      if (nowMs >= bucket.countedAtMs && nowMs < bucket.freshUntilMs) counted.set(at, bucket.traffic)
    }
    const missing = starts.filter((at) => !counted.has(at))
    for (let portion = FIRST_BUCKETS; missing.length > 0; ) {
      const portionStarts = missing.splice(0, portion).map((at) => new Date(at))
      const startedMs = performance.now()
      const traffics = await countTraffic(statements, { accountId, stepSeconds, starts: portionStarts })
      portion = performance.now() - startedMs < FAST_MS ? portion * 2 : Math.ceil(portion / 2)
      for (const traffic of traffics) {
        const at = traffic.at.getTime()
        counted.set(at, traffic)
        const age = nowMs - at - stepMs
        if (messagesIn(traffic) >= FEW_MESSAGES)
          kept.set(at, { traffic, countedAtMs: nowMs, freshUntilMs: nowMs + age / 10 })
        else kept.delete(at)
      }
    }
    return starts.flatMap((at) => counted.get(at) ?? [])
  }
}

function messagesIn({ accepted, sent, delivered, failed, received }: CountedTraffic): number {
  return accepted + sent + delivered + failed + received
}
