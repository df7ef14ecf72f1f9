import type { PushContent } from '@smsgw/contract/live/push-event'
import type { Log } from '@smsgw/daemon/log/log'
import type { CoreDeps } from '../core-deps.ts'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import type { GuardedClient, RequestOutcome } from '../webhooks/delivery/client/guarded-client.ts'
import { retryAfterSeconds } from '../webhooks/delivery/judge-outcome.ts'
import { type ClaimedNotification, claimNotifications } from './claim-notifications-statement.ts'
import { type SendPushDeps, sendPush } from './send-push.ts'
import { readValidSubscriptions, type ValidSubscription } from './valid-subscriptions-statement.ts'

export interface PushWorkerDeps extends Omit<SendPushDeps, 'client'>, Pick<CoreDeps, 'database' | 'logbook'> {
  readonly client: Pick<GuardedClient, 'post' | 'close'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly pollMs?: number | undefined
}

/**
 * Sends stored notifications to push services. Every relay runs one worker in addition to the delivery of webhooks, so
 * that neither of them waits for the other.
 *
 * A round claims due notifications and starts their requests, and the next round begins without waiting for the
 * answers. Notifications of one topic for one browser are one request. If it fails, it is repeated for at most an hour.
 */
export class PushWorker {
  readonly #deps: PushWorkerDeps
  readonly #polling: NodeJS.Timeout
  readonly #running = new Set<Promise<void>>()
  #round: Promise<void> | undefined
  #isRequested = false
  #isStopped = false
  #isUnavailable = false

  constructor(deps: PushWorkerDeps) {
    this.#deps = deps
    this.#polling = setInterval(() => this.wake(), deps.pollMs ?? POLL_MS)
  }

  /**
   * Must be called after a commit that may have stored notifications. Otherwise they are sent only at the next poll.
   */
  wake(): void {
    if (this.#isStopped) return
    this.#isRequested = true
    this.#round ??= this.#runRounds().finally(() => {
      this.#round = undefined
    })
  }

  /**
   * Aborts running requests. Their notifications are sent later, by another relay or by this relay after its next
   * start.
   */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#polling)
    await this.#round
    await this.#deps.client.close()
    await Promise.all(this.#running)
  }

  async #runRounds(): Promise<void> {
    while (this.#isRequested && !this.#isStopped && this.#running.size < MOST_RUNNING) {
      this.#isRequested = false
      try {
        await this.#claim()
        if (this.#isUnavailable) this.#deps.log.info('browser notifications resumed: database available')
        this.#isUnavailable = false
      } catch (error) {
        this.#report(error)
      }
    }
  }

  async #claim(): Promise<void> {
    const { database } = this.#deps
    const claimed = await claimNotifications(database, CLAIMED_AT_ONCE)
    if (claimed.length === 0) return
    if (claimed.length === CLAIMED_AT_ONCE) this.#isRequested = true
    const groups = Map.groupBy(claimed, ({ subscriptionId, topic }) => `${subscriptionId} ${topic}`)
    const ids = [...new Set(claimed.map(({ subscriptionId }) => subscriptionId))]
    const valid = new Map((await readValidSubscriptions(database, ids)).map((one) => [one.id, one]))
    for (const group of groups.values()) {
      const [first] = group as [ClaimedNotification]
      const sending = this.#send(valid.get(first.subscriptionId), group)
        .catch((error) => this.#report(error))
        .finally(() => {
          this.#running.delete(sending)
          if (this.#running.size === MOST_RUNNING - 1) this.wake()
        })
      this.#running.add(sending)
    }
  }

  /** Sends the newest notification of a topic, which replaces the others. */
  async #send(subscription: ValidSubscription | undefined, group: readonly ClaimedNotification[]): Promise<void> {
    const newest = group.reduce((one, other) => (other.key > one.key ? other : one))
    if (subscription === undefined || newest.ageSeconds > KEPT_SECONDS) return this.#delete(group)
    const content = contentOf(subscription, newest, group.length)
    const outcome = await sendPush(this.#deps, subscription, content, newest.topic)
    if (outcome.kind !== 'broken-off') await this.#record(subscription, group, newest, outcome)
  }

  async #record(
    subscription: ValidSubscription,
    group: readonly ClaimedNotification[],
    { attempts }: ClaimedNotification,
    outcome: Exclude<RequestOutcome, { readonly kind: 'broken-off' }>,
  ): Promise<void> {
    const { database, clock } = this.#deps
    const where = { id: subscription.id }
    const { status, retryAfter } = outcome.kind === 'replied' ? outcome.reply : { status: 0, retryAfter: undefined }
    if (status >= 200 && status <= 299) {
      await this.#delete(group)
      await database.pushSubscription.updateMany({ where, data: { lastSentAt: clock.now() } })
    } else if (isEnded(status)) {
      await database.pushSubscription.deleteMany({ where })
      await this.#delete(group)
      this.#note(subscription, 'INFO', 'browser notifications ended: the browser has unsubscribed')
    } else if (status >= 400 && status <= 499 && status !== 429) {
      await this.#delete(group)
      this.#note(subscription, 'WARN', `browser notification not sent: the push service answered ${status}`)
    } else {
      const requested = retryAfterSeconds(retryAfter, clock.now().getTime())
      const pauseSeconds = Math.min(KEPT_SECONDS, requested ?? PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0)
      await database.pushNotification.updateMany({
        where: { key: { in: group.map(({ key }) => key) } },
        data: { nextAttemptAt: new Date(clock.now().getTime() + pauseSeconds * 1000) },
      })
    }
  }

  async #delete(group: readonly ClaimedNotification[]): Promise<void> {
    await this.#deps.database.pushNotification.deleteMany({ where: { key: { in: group.map(({ key }) => key) } } })
  }

  #note({ id, accountId }: ValidSubscription, priority: 'INFO' | 'WARN', message: string): void {
    this.#deps.logbook.write({ accountId, module: 'push', priority, message, context: { subscriptionId: id } })
  }

  #report(error: unknown): void {
    if (!isDatabaseUnavailable(error))
      this.#deps.log.error({ err: error }, 'could not send browser notifications, retrying')
    else if (!this.#isUnavailable)
      this.#deps.log.warn({ err: error }, 'browser notifications paused: database unavailable, retrying')
    this.#isUnavailable ||= isDatabaseUnavailable(error)
  }
}

/** Returns true if the status means that the subscription no longer exists (RFC 8030 §7.3). */
export function isEnded(status: number): boolean {
  return status === 404 || status === 410
}

function contentOf({ language }: ValidSubscription, newest: ClaimedNotification, count: number): PushContent {
  const { kind, about, text, subjectId } = newest
  return {
    kind: kind as PushContent['kind'],
    language: language as PushContent['language'],
    count,
    about,
    ...(text !== null && { text }),
    ...(subjectId !== null && { id: subjectId }),
  }
}

const POLL_MS = 2_000
const CLAIMED_AT_ONCE = 500
const MOST_RUNNING = 50
/** Notifications about older events are not sent, and their text is deleted. */
const KEPT_SECONDS = 3_600
/** The pause after each failed attempt, in seconds. */
const PAUSES = [10, 60, 300, 900]
