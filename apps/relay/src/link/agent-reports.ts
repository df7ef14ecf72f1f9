import { setTimeout as sleep } from 'node:timers/promises'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { recordWaiting } from '../waiting/record-waiting-statement.ts'
import type { LinkStorage } from './agent-requests.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import type { TelemetryRecorder } from './telemetry-recorder.ts'

/**
 * Stores the reports of one agent about itself. Such a report is not acknowledged, because the next one replaces it.
 */
export class AgentReports {
  readonly #store: LinkStorage
  readonly #telemetry: TelemetryRecorder
  #telemetryAtMs = Number.NEGATIVE_INFINITY
  #waiting: WaitingReport | undefined
  #isOver = false

  constructor(store: LinkStorage, telemetry: TelemetryRecorder) {
    this.#store = store
    this.#telemetry = telemetry
  }

  /**
   * Stores a sample, unless the previous sample is too recent. The rate is limited because samples are kept for days.
   */
  takeTelemetry(connection: AgentConnection, sample: Readonly<Record<string, unknown>>): void {
    // Uses the monotonic clock. If the clock of the database was set back by a day, samples would otherwise be dropped
    // for a day.
    const nowMs = performance.now()
    if (nowMs - this.#telemetryAtMs < TELEMETRY_MS) return
    this.#telemetryAtMs = nowMs
    this.#telemetry.add(connection, sample)
  }

  /**
   * Stores a report that says why messages are waiting. Retries until the newest report is stored, because an older
   * report would show outdated reasons.
   */
  async storeWaiting(connection: AgentConnection, report: WaitingReport): Promise<void> {
    const { database, clock, log } = this.#store
    const isStoring = this.#waiting !== undefined
    this.#waiting = report
    if (isStoring) return
    for (let stored: WaitingReport | undefined; stored !== this.#waiting && !this.#isOver; ) {
      const newest = this.#waiting
      try {
        await recordWaiting(database, connection, newest, clock.now())
        stored = newest
      } catch (error) {
        log.warn({ err: error }, 'could not store why messages are waiting, retrying')
        await sleep(WAITING_RETRY_MS)
      }
    }
    this.#waiting = undefined
  }

  /** Called when the connection has ended. Stops the retries. */
  end(): void {
    this.#isOver = true
  }
}

/** The finest resolution of the history. */
const TELEMETRY_MS = 10_000
const WAITING_RETRY_MS = 1_000
