import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import type { CoreDeps } from '../../core-deps.ts'
import { isDatabaseUnavailable } from '../../store/connection/database-unavailable.ts'
import type { Database } from '../../store/database.ts'
import { deliveryProblemText } from '../delivery-problem.ts'
import { disableReceiver } from './disable-receiver-statement.ts'
import { dropDeliveries } from './drop-deliveries-statement.ts'
import { type RecordedAttempt, recordAttempts } from './record-attempts-statement.ts'
import { releaseFollowers } from './release-followers-statement.ts'
import { releaseReceivers } from './release-receivers-statement.ts'
import type { DueReceiver } from './take-receivers-statement.ts'
import { type HealthUpdate, updateHealth } from './update-health-statement.ts'

export interface AttemptRecorderDeps extends DisableWebhookDeps {
  readonly database: Database
  readonly log: Pick<Log, 'warn' | 'error'>
}

/**
 * The members are written in the order of their declaration, so that the results are stored before another worker takes
 * the receiver.
 */
interface Batch {
  attempts: { readonly attempt: RecordedAttempt; readonly done: (isRecorded: boolean) => void }[]
  health: Map<bigint, HealthUpdate & { readonly receiver: DueReceiver; readonly error: string }>
  gone: Map<bigint, DueReceiver>
  released: { readonly worker: number; readonly key: bigint; readonly done: () => void }[]
}

/**
 * Records the results of attempts. Results that arrive together share a write. While the database is unavailable, the
 * recorder and the receivers wait, so that no event is sent twice because its result could not be recorded.
 */
export class AttemptRecorder {
  readonly #deps: AttemptRecorderDeps
  #waiting = emptyBatch()
  #writers = 0
  #isGathering = false
  #begunAtMs = -PACE_MS
  #onIdle: (() => void) | undefined
  #isGivenUp = false

  constructor(deps: AttemptRecorderDeps) {
    this.#deps = deps
  }

  /** Records a result. Resolves with false if it will never be recorded. */
  record(attempt: RecordedAttempt): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.attempts.push({ attempt, done: resolve })
    this.#start()
    return promise
  }

  updateHealth(receiver: DueReceiver, updates: Omit<HealthUpdate, 'key' | 'url'>, error: string): void {
    const { key, url } = receiver
    const before = this.#waiting.health.get(key)
    this.#waiting.health.set(key, {
      key,
      url,
      receiver,
      error,
      isSuccess: updates.isSuccess || (before?.isSuccess ?? false),
      isRecovered: updates.isRecovered || (before?.isRecovered ?? false),
      isOpening: updates.isOpening || (before?.isOpening ?? false),
      pauseMs: Math.max(updates.pauseMs, before?.pauseMs ?? 0),
    })
    this.#start()
  }

  recordGone(receiver: DueReceiver): void {
    this.#waiting.gone.set(receiver.key, receiver)
    this.#start()
  }

  /** Releases a receiver when all results that were added before this call are written. */
  release(worker: number, key: bigint): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.released.push({ worker, key, done: resolve })
    this.#start()
    return promise
  }

  /** Resolves when all results are recorded, or after this time. */
  async finish(waitMs: number): Promise<void> {
    const timeout = setTimeout(() => {
      this.#isGivenUp = true
    }, waitMs)
    while (this.#writers > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    clearTimeout(timeout)
  }

  #start(): void {
    if (this.#isGathering || this.#writers >= WRITES_AT_ONCE) return
    this.#writers += 1
    void this.#write()
  }

  async #write(): Promise<void> {
    await this.#gather()
    const batch = this.#waiting
    this.#waiting = { ...emptyBatch(), attempts: batch.attempts.splice(MOST_TOGETHER) }
    const locked = await this.#writeBatch(batch)
    if (locked.length > 0 && isEmpty(this.#waiting)) await sleep(LOCKED_MS)
    this.#waiting.attempts.unshift(...locked)
    this.#writers -= 1
    if (!isEmpty(this.#waiting)) this.#start()
    else if (this.#writers === 0) this.#onIdle?.()
  }

  /** Waits for more results to write: one iteration of the event loop or, under load, a few milliseconds. */
  async #gather(): Promise<void> {
    this.#isGathering = true
    const waitMs = this.#begunAtMs + PACE_MS - performance.now()
    if (waitMs > 0) await sleep(Math.ceil(waitMs))
    else await new Promise((resolve) => setImmediate(resolve))
    this.#begunAtMs = performance.now()
    this.#isGathering = false
  }

  /** Returns the attempts that could not be recorded because their deliveries are locked. */
  async #writeBatch(batch: Batch): Promise<Batch['attempts']> {
    const locked = await this.#retry(() => writeAttempts(this.#deps, batch))
    const followed = followedDeliveries(batch, locked ?? [])
    if (followed.length > 0) await this.#retry(() => releaseFollowers(this.#deps.database, followed))
    await this.#retry(() => writeHealth(this.#deps, batch))
    await this.#retry(() => disableGone(this.#deps, batch))
    await this.#retry(() => release(this.#deps, batch))
    const late = new Set(this.#isGivenUp ? [] : locked)
    for (const one of batch.attempts) if (!late.has(one)) one.done(locked !== undefined)
    // A receiver that could not be released becomes free when its lease expires.
    for (const { done } of batch.released) done()
    return [...late]
  }

  /** Retries while the database is unavailable, and a few times after other errors. Returns undefined if it gave up. */
  async #retry<T>(write: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 1; !this.#isGivenUp; tries += 1) {
      try {
        return await write()
      } catch (error) {
        if (!isDatabaseUnavailable(error) && tries === MOST_TRIES) {
          this.#deps.log.error({ err: error }, 'webhook results lost because they could not be recorded')
          return undefined
        }
        if (tries === 1) this.#deps.log.warn({ err: error }, 'could not record webhook results, retrying')
        await sleep(RETRY_MS)
      }
    }
    return undefined
  }
}

const MOST_TRIES = 3
const MOST_TOGETHER = 500
/**
 * While one write waits for the disk, the next write is prepared. Results for the same delivery are written in order.
 */
const WRITES_AT_ONCE = 2
/** The shortest time between two writes. One statement with a hundred rows costs a third as much as ten statements. */
const PACE_MS = 10
const RETRY_MS = 250
const LOCKED_MS = 50
const HEALTH_LIMITS = { disableAfterMs: 5 * 86_400_000, restMs: 2 * 86_400_000 }

/** Returns the attempts that have to be written again. */
async function writeAttempts({ database }: AttemptRecorderDeps, { attempts }: Batch): Promise<Batch['attempts']> {
  if (attempts.length === 0) return []
  const locked = new Set(
    await recordAttempts(
      database,
      attempts.map(({ attempt }) => attempt),
    ),
  )
  return attempts.filter(({ attempt }) => locked.has(attempt.key))
}

/** The recorded deliveries that other deliveries may wait for (`EarlierEvent`). */
function followedDeliveries({ attempts }: Batch, locked: Batch['attempts']): bigint[] {
  const recorded = attempts.filter((one) => !locked.includes(one)).map(({ attempt }) => attempt)
  return recorded.filter(({ event }) => event === 'sms:sent' || event === 'sms:failed').map(({ key }) => key)
}

async function writeHealth(deps: AttemptRecorderDeps, { health }: Batch): Promise<void> {
  if (health.size === 0) return
  const overdue = await updateHealth(deps.database, [...health.values()], HEALTH_LIMITS)
  for (const key of overdue) {
    const { receiver, error } = health.get(key) as { receiver: DueReceiver; error: string }
    await disableWebhook(deps, receiver, deliveryProblemText('failing_for_five_days', { lastError: error }))
  }
}

async function disableGone(deps: AttemptRecorderDeps, { gone }: Batch): Promise<void> {
  for (const receiver of gone.values()) await disableWebhook(deps, receiver, deliveryProblemText('gone'))
}

async function release({ database }: AttemptRecorderDeps, { released }: Batch): Promise<void> {
  for (const [worker, ofWorker] of Map.groupBy(released, (one) => one.worker))
    await releaseReceivers(
      database,
      worker,
      ofWorker.map(({ key }) => key),
    )
}

function emptyBatch(): Batch {
  return { attempts: [], health: new Map(), gone: new Map(), released: [] }
}

function isEmpty({ attempts, health, gone, released }: Batch): boolean {
  return attempts.length + health.size + gone.size + released.length === 0
}

export type DisableWebhookDeps = Pick<CoreDeps, 'database' | 'logbook'>

/**
 * Disables a webhook and drops its pending deliveries, which can be redelivered after the webhook is enabled again.
 * Does nothing if its URL has changed in the meantime.
 */
async function disableWebhook(
  { database, logbook }: DisableWebhookDeps,
  { key, id, accountId, url }: Pick<DueReceiver, 'key' | 'id' | 'accountId' | 'url'>,
  reason: string,
): Promise<void> {
  if ((await disableReceiver(database, { key, url }, reason)) === 0) return
  const message = `webhook disabled: ${reason}. Resume it, or register it again with its id`
  logbook.write({ accountId, module: 'webhooks', priority: 'ERROR', message, context: { webhookId: id } })
  let dropped: number
  do {
    dropped = await dropDeliveries(database, key, ROWS_AT_ONCE)
  } while (dropped === ROWS_AT_ONCE)
}

const ROWS_AT_ONCE = 5_000
