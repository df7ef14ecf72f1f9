import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { Clock, Timer } from '@smsgw/modem/clock'

export interface WaitingReporterParts {
  readonly clock: Clock
  /** The minimum time between two reports. Default: five seconds. */
  readonly intervalMs?: number | undefined
  /** Returns the reasons of the messages for which `isCounted` is true. */
  readonly report: (isCounted: (cmdId: string) => boolean) => WaitingReport
  /** Returns the ids of unfinished messages. */
  readonly openIds: () => Iterable<string>
  readonly send: (report: WaitingReport) => void
}

/**
 * Reports to the relay why messages wait: at most once per interval, only changes, and only for messages that have
 * waited for at least one interval. A device that sends messages as fast as they arrive reports nothing. A device that
 * sends a long queue reports which messages are still queued at every sixth interval.
 */
export class WaitingReporter {
  readonly #parts: WaitingReporterParts
  #timer: Timer | undefined
  #openBefore: ReadonlySet<string> = new Set()
  /** The last report on this connection. */
  #reported: string | undefined
  /** The last report without the messages that are only queued. */
  #reportedWithoutQueue: string | undefined
  #intervalsSinceReport = 0
  #isConnected = false

  constructor(parts: WaitingReporterParts) {
    this.#parts = parts
    this.#schedule()
  }

  /** Must be called when the link is connected. The relay has dropped the reports from earlier connections. */
  connected(): void {
    this.#isConnected = true
    this.#reported = undefined
  }

  disconnected(): void {
    this.#isConnected = false
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #schedule(): void {
    const { clock, intervalMs = defaultIntervalMs } = this.#parts
    this.#timer = clock.after(intervalMs, () => {
      this.#check()
      this.#schedule()
    })
  }

  #check(): void {
    const before = this.#openBefore
    this.#openBefore = new Set(this.#parts.openIds())
    if (!this.#isConnected) return
    const hasWaited = [...this.#openBefore].some((cmdId) => before.has(cmdId))
    // Sends an empty report only to replace an earlier report.
    if (!hasWaited && this.#reported === undefined) return
    const report = this.#parts.report((cmdId) => before.has(cmdId))
    const text = JSON.stringify(comparable(report))
    this.#intervalsSinceReport += 1
    if (text === this.#reported) return
    const others = report.messages.filter(({ reason }) => reason !== 'queued')
    const withoutQueue = JSON.stringify(comparable({ ...report, messages: others }))
    const hasQueue = others.length < report.messages.length
    const isQueueAlone = this.#reported !== undefined && hasQueue && withoutQueue === this.#reportedWithoutQueue
    if (isQueueAlone && this.#intervalsSinceReport < QUEUE_INTERVALS) return
    this.#reported = text
    this.#reportedWithoutQueue = withoutQueue
    this.#intervalsSinceReport = 0
    this.#parts.send(report)
  }
}

const defaultIntervalMs = 5_000
/** The queue changes with each message that is sent, and that alone is not urgent. */
const QUEUE_INTERVALS = 6

/**
 * Leaves out the time at which the pause between messages ends. This time changes with each message, and that alone
 * does not require a new report.
 */
function comparable(report: WaitingReport): unknown {
  const withoutEnd = <One extends { readonly reason: string }>(one: One) =>
    one.reason === 'pause' ? { ...one, until: undefined } : one
  return {
    sims: report.sims.map(withoutEnd),
    anySim: report.anySim && withoutEnd(report.anySim),
    messages: report.messages.map(withoutEnd),
  }
}
