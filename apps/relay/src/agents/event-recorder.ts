import type { Clock } from '../clock.ts'
import type { Move } from '../messages/message-progress.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { EventBatch, RecordResult } from './event-batch.ts'
import { type RecordedBatch, recordEvents } from './record-events.ts'

export interface EventRecorderNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly hints: { answered(cmdIds: readonly string[]): void }
  readonly outbox?: Outbox
  /** Recipients that came to another state, after the commit. */
  readonly onMoved?: (moves: readonly Move[]) => void
}

/**
 * Stores events of all devices of this process. A batch that comes alone is stored at once; what comes while others are
 * being stored shares the next transaction, so that a commit, which is what costs, is paid by many devices together.
 */
export class EventRecorder {
  readonly #needs: EventRecorderNeeds
  #waiting: Waiting[] = []
  #running = 0

  constructor(needs: EventRecorderNeeds) {
    this.#needs = needs
  }

  /** One batch of a device at a time. Rejected: nothing was stored, the device may try again. */
  record(batch: EventBatch): Promise<RecordResult> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordResult>()
    this.#waiting.push({ batch, resolve, reject })
    this.#start()
    return promise
  }

  #start(): void {
    while (this.#running < GROUPS_AT_ONCE && this.#waiting.length > 0) void this.#store(this.#nextGroup())
  }

  #nextGroup(): Waiting[] {
    let count = 0
    let events = 0
    for (const { batch } of this.#waiting) {
      events += batch.events.length
      if (count > 0 && events > EVENTS_IN_GROUP) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    const { database, clock, hints, outbox, onMoved } = this.#needs
    this.#running += 1
    const batches = group.map(({ batch }) => batch)
    const recorded = await recordEvents(database, batches, clock.now())
    this.#running -= 1
    this.#start()
    const answered = recorded.flatMap((one) => (one.status === 'fulfilled' ? one.value.answered : []))
    if (answered.length > 0) hints.answered(answered)
    outbox?.wake()
    onMoved?.(recorded.flatMap((one) => (one.status === 'fulfilled' ? one.value.moves : [])))
    for (const [index, { resolve, reject }] of group.entries()) {
      const one = recorded[index] as PromiseSettledResult<RecordedBatch>
      if (one.status === 'fulfilled') resolve(one.value.result)
      else reject(one.reason)
    }
  }
}

/** While one waits for the disk the next is being worked out; more of them make smaller groups. */
const GROUPS_AT_ONCE = 2
/** Bounds the time that a transaction takes. */
const EVENTS_IN_GROUP = 1_000

interface Waiting {
  readonly batch: EventBatch
  readonly resolve: (result: RecordResult) => void
  readonly reject: (reason: unknown) => void
}
