import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log'
import type { Database } from '../../store/database.ts'
import { isDatabaseAway } from '../../store/database-away.ts'
import { type DisableWebhookNeeds, disableWebhook } from './disable-webhook.ts'
import { type HealthNews, noteHealth } from './note-health-statement.ts'
import { releaseReceivers } from './release-receivers-statement.ts'
import { type SettledAttempt, settleDeliveries } from './settle-deliveries-statement.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface SettlerNeeds extends DisableWebhookNeeds {
  readonly database: Database
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** What is to be written, in this order: who may serve a receiver next finds everything that it has to know. */
interface Batch {
  attempts: { readonly attempt: SettledAttempt; readonly done: (isRecorded: boolean) => void }[]
  health: Map<bigint, HealthNews & { readonly receiver: Receiver; readonly error: string }>
  gone: Map<bigint, Receiver>
  released: { readonly worker: number; readonly key: bigint; readonly done: () => void }[]
}

/**
 * Writes down what came of attempts, what comes together in one go. While the database is away it waits, and so do the
 * receivers: what they were sent is not sent again because it could not be written down.
 */
export class Settler {
  readonly #needs: SettlerNeeds
  #waiting = emptyBatch()
  #writers = 0
  #isGathering = false
  #begunAtMs = -PACE_MS
  #onIdle: (() => void) | undefined
  #isGivenUp = false

  constructor(needs: SettlerNeeds) {
    this.#needs = needs
  }

  /** False: it will never be on the disk. */
  record(attempt: SettledAttempt): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.attempts.push({ attempt, done: resolve })
    this.#start()
    return promise
  }

  noteHealth(receiver: Receiver, news: Omit<HealthNews, 'key' | 'url'>, error: string): void {
    const { key, url } = receiver
    const before = this.#waiting.health.get(key)
    this.#waiting.health.set(key, {
      key,
      url,
      receiver,
      error,
      isWell: news.isWell || (before?.isWell ?? false),
      isMended: news.isMended || (before?.isMended ?? false),
      isOpening: news.isOpening || (before?.isOpening ?? false),
      pauseMs: Math.max(news.pauseMs, before?.pauseMs ?? 0),
    })
    this.#start()
  }

  noteGone(receiver: Receiver): void {
    this.#waiting.gone.set(receiver.key, receiver)
    this.#start()
  }

  /** Behind everything that was added before. */
  release(worker: number, key: bigint): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.released.push({ worker, key, done: resolve })
    this.#start()
    return promise
  }

  /** When everything is on the disk; or not, after this time. */
  async finish(patienceMs: number): Promise<void> {
    const impatience = setTimeout(() => {
      this.#isGivenUp = true
    }, patienceMs)
    while (this.#writers > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    clearTimeout(impatience)
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

  /** What ends in this turn of the event loop is written together; where much does, what ends in a few milliseconds. */
  async #gather(): Promise<void> {
    this.#isGathering = true
    const waitMs = this.#begunAtMs + PACE_MS - performance.now()
    if (waitMs > 0) await sleep(Math.ceil(waitMs))
    else await new Promise((resolve) => setImmediate(resolve))
    this.#begunAtMs = performance.now()
    this.#isGathering = false
  }

  /** Gives the attempts that could not be recorded yet, as somebody is changing their deliveries. */
  async #writeBatch(batch: Batch): Promise<Batch['attempts']> {
    const locked = await this.#patiently(() => recordAttempts(this.#needs, batch))
    await this.#patiently(() => noteReceivers(this.#needs, batch))
    await this.#patiently(() => disableGone(this.#needs, batch))
    await this.#patiently(() => release(this.#needs, batch))
    const late = new Set(this.#isGivenUp ? [] : locked)
    for (const one of batch.attempts) if (!late.has(one)) one.done(locked !== undefined)
    // What could not be released is, when its lease runs out.
    for (const { done } of batch.released) done()
    return [...late]
  }

  /** Again and again while the database is away, and a few times otherwise. Undefined: it was given up. */
  async #patiently<T>(write: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 1; !this.#isGivenUp; tries += 1) {
      try {
        return await write()
      } catch (error) {
        if (!isDatabaseAway(error) && tries === MOST_TRIES) {
          this.#needs.log.error({ err: error }, 'what came of some webhooks is not recorded')
          return undefined
        }
        if (tries === 1) this.#needs.log.warn({ err: error }, 'what came of some webhooks waits for the database')
        await sleep(AWAY_MS)
      }
    }
    return undefined
  }
}

const MOST_TRIES = 3
const MOST_TOGETHER = 500
/** While one waits for the disk the next is being worked out. What follows from another waits for it. */
const WRITES_AT_ONCE = 2
/** How soon a write may follow the one before: a hundred rows together cost the database a third of what they cost in tens. */
const PACE_MS = 10
const AWAY_MS = 250
const LOCKED_MS = 50
const HEALTH_LIMITS = { disableAfterMs: 5 * 86_400_000, restMs: 2 * 86_400_000 }

/** Gives those that are to be tried again. */
async function recordAttempts({ database }: SettlerNeeds, { attempts }: Batch): Promise<Batch['attempts']> {
  if (attempts.length === 0) return []
  const locked = new Set(
    await settleDeliveries(
      database,
      attempts.map(({ attempt }) => attempt),
    ),
  )
  return attempts.filter(({ attempt }) => locked.has(attempt.key))
}

async function noteReceivers(needs: SettlerNeeds, { health }: Batch): Promise<void> {
  if (health.size === 0) return
  const overdue = await noteHealth(needs.database, [...health.values()], HEALTH_LIMITS)
  for (const key of overdue) {
    const { receiver, error } = health.get(key) as { receiver: Receiver; error: string }
    await disableWebhook(needs, receiver, `nothing but failures for five days, the last one: ${error}`)
  }
}

async function disableGone(needs: SettlerNeeds, { gone }: Batch): Promise<void> {
  for (const receiver of gone.values()) await disableWebhook(needs, receiver, 'the receiver answered 410 Gone')
}

async function release({ database }: SettlerNeeds, { released }: Batch): Promise<void> {
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
