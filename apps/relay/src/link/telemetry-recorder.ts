import type { CoreDeps } from '../core-deps.ts'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import { storableJson } from '../store/storable.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import { recordTelemetry } from './record-telemetry-statement.ts'

export interface TelemetryRecorderDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly log: { warn(details: object, message: string): void }
}

type Sample = Readonly<Record<string, unknown>>

/** A sample that is not stored yet. The time is monotonic, so that it stays correct if the clock is set meanwhile. */
interface Waiting {
  readonly connection: AgentConnection
  readonly json: string
  readonly receivedMs: number
}

/**
 * Stores the telemetry of all agents of this process in groups, at most one group a second unless a group is full. Each
 * group is one commit, so that thousands of agents cost a few commits a second. The first sample after a pause is
 * stored at once.
 *
 * For each connection, only the newest sample waits, which limits the memory while the database is unavailable. If the
 * process ends, waiting samples are lost. This is acceptable, because the next samples replace them.
 */
export class TelemetryRecorder {
  readonly #deps: TelemetryRecorderDeps
  readonly #waiting = new Map<AgentConnection, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> | undefined
  #isStopping = false
  #isOutage = false

  constructor(deps: TelemetryRecorderDeps) {
    this.#deps = deps
  }

  /** Returns at once. A sample that is too large is dropped. */
  add(connection: AgentConnection, sample: Sample): void {
    const json = JSON.stringify(storableJson(sample))
    if (json.length > LONGEST_SAMPLE || this.#isStopping) return
    this.#waiting.set(connection, { connection, json, receivedMs: performance.now() })
    if (this.#timer === undefined && this.#storing === undefined) this.#storeAfter(0)
  }

  /** Stores the waiting samples, unless the database is unavailable. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#storing
    await this.#storeAll()
  }

  /**
   * Starts the pause, even if no sample waits, because a sample that arrives during the pause has to wait until the
   * pause ends.
   */
  #storeAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#waiting.size === 0) return
      this.#storing = this.#storeAll().then((isAvailable) => {
        this.#storing = undefined
        if (!this.#isStopping) this.#storeAfter(isAvailable ? PAUSE_MS : RETRY_MS)
      })
    }, ms)
  }

  /** Stores every sample that waits now, in groups. Returns false when the database is unavailable. */
  async #storeAll(): Promise<boolean> {
    const samples = [...this.#waiting.values()]
    this.#waiting.clear()
    while (samples.length > 0) {
      const group = samples.splice(0, sizeOfGroup(samples))
      try {
        await this.#store(group)
      } catch (error) {
        this.#keep([...group, ...samples])
        if (!this.#isOutage) this.#deps.log.warn({ err: error }, 'telemetry not stored: database unavailable, retrying')
        this.#isOutage = true
        return false
      }
      this.#isOutage = false
    }
    return true
  }

  /**
   * Stores a group. Throws if the database is unavailable. If the database refuses the group, each sample is stored
   * separately.
   */
  async #store(group: readonly Waiting[]): Promise<void> {
    const { database, clock, log } = this.#deps
    const [nowMs, monotonicMs] = [clock.now().getTime(), performance.now()]
    const dated = group.map((one) => ({ ...one, receivedAt: new Date(nowMs - (monotonicMs - one.receivedMs)) }))
    try {
      this.#keep(await recordTelemetry(database, dated))
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      const [only] = group
      if (group.length > 1) for (const one of group) await this.#store([one])
      else
        log.warn({ err: error, deviceId: only?.connection.deviceId }, 'telemetry dropped because it cannot be stored')
    }
  }

  /** Keeps samples for the next group, unless a newer sample of the same connection waits. */
  #keep(samples: readonly Waiting[]): void {
    for (const { connection, json, receivedMs } of samples)
      if (!this.#waiting.has(connection)) this.#waiting.set(connection, { connection, json, receivedMs })
  }
}

/** Returns how many of the samples fit in one group: at least one. */
function sizeOfGroup(samples: readonly Waiting[]): number {
  let characters = 0
  const end = samples.slice(0, MOST_IN_GROUP).findIndex(({ json }) => {
    characters += json.length
    return characters > MOST_CHARACTERS
  })
  return end < 0 ? MOST_IN_GROUP : Math.max(1, end)
}

/** Most agents send samples of 1000 characters or less. */
const LONGEST_SAMPLE = 16_384
const PAUSE_MS = 1_000
const RETRY_MS = 5_000
const MOST_IN_GROUP = 1_000
const MOST_CHARACTERS = 4_000_000
