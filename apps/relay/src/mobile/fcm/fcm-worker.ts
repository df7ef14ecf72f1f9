import type { Log } from '@smsgw/daemon/log/log'
import type { CoreDeps } from '../../core-deps.ts'
import { isDatabaseUnavailable } from '../../store/connection/database-unavailable.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { GuardedClient } from '../../webhooks/delivery/client/guarded-client.ts'
import { retryAfterSeconds } from '../../webhooks/delivery/judge-outcome.ts'
import type { PhoneNotice } from '../streams/phone-stream.ts'
import { markUploadsRequested, readUploadRequests } from '../upload-requests.ts'
import { type ClaimedPush, claimPushes } from './claim-pushes-statement.ts'
import { openPushToken } from './phone-push.ts'
import { type NoticeOutcome, type SendNoticeDeps, sendNotice } from './send-notice.ts'

export interface FcmWorkerDeps
  extends Omit<SendNoticeDeps, 'client'>,
    Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly client: Pick<GuardedClient, 'post' | 'close'>
  readonly box: Pick<SecretBox, 'open'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly pollMs?: number | undefined
}

/**
 * Sends notices with FCM to phones that have a push token and no event stream. Every relay that has a key of the
 * operator runs one worker. A phone also requests its work every 15 minutes. So if FCM does not accept a notice, a
 * message is only delayed.
 */
export class FcmWorker {
  readonly #deps: FcmWorkerDeps
  readonly #polling: NodeJS.Timeout
  readonly #running = new Set<Promise<void>>()
  /** The phones for which a refused notice was logged. */
  readonly #refused = new Set<string>()
  #round: Promise<void> | undefined
  #isStopped = false
  #isFailing = false
  #isUnavailable = false

  constructor(deps: FcmWorkerDeps) {
    this.#deps = deps
    this.#polling = setInterval(() => this.#poll(), deps.pollMs ?? POLL_MS)
  }

  /** Aborts running requests. Their notices are sent later, by another relay or by this relay after its next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#polling)
    await this.#round
    await this.#deps.client.close()
    await Promise.all(this.#running)
  }

  #poll(): void {
    if (this.#isStopped || this.#running.size >= MOST_RUNNING) return
    this.#round ??= this.#claim()
      .catch((error) => this.#report(error))
      .finally(() => {
        this.#round = undefined
      })
  }

  async #claim(): Promise<void> {
    const { database, clock } = this.#deps
    const claimedAt = clock.now()
    const claimed = await claimPushes(database, MOST_RUNNING - this.#running.size, claimedAt)
    if (this.#isUnavailable) this.#deps.log.info('database available again, sending FCM notices')
    this.#isUnavailable = false
    for (const push of claimed) {
      const sending = this.#send(push, claimedAt)
        .catch((error) => this.#report(error))
        .finally(() => this.#running.delete(sending))
      this.#running.add(sending)
    }
  }

  async #send(push: ClaimedPush, claimedAt: Date): Promise<void> {
    const { database, box } = this.#deps
    const { accountId, sweeps: cmdIds } = push
    const token = openPushToken(box, push.tokenSealed)
    const uploads = cmdIds.length === 0 ? [] : await readUploadRequests(database, { accountId, cmdIds, now: claimedAt })
    let outcome: NoticeOutcome = { kind: 'sent' }
    for (const notice of [...noticesOf(push), ...uploads]) {
      outcome = await sendNotice(this.#deps, token, notice)
      if (outcome.kind !== 'sent') break
    }
    await this.#record(push, claimedAt, outcome)
  }

  async #record(push: ClaimedPush, claimedAt: Date, outcome: NoticeOutcome): Promise<void> {
    const { database, clock, log } = this.#deps
    const { deviceId, accountId, sweeps: cmdIds, attempts } = push
    const now = clock.now()
    switch (outcome.kind) {
      case 'broken-off':
        return
      case 'sent':
        if (cmdIds.length > 0) await markUploadsRequested(database, { accountId, cmdIds, now })
        await this.#settle(push, claimedAt, now)
        this.#refused.delete(deviceId)
        if (this.#isFailing) log.info('FCM available again, sending notices')
        this.#isFailing = false
        return
      case 'unregistered':
        await database.phonePush.deleteMany({ where: { deviceId, tokenSealed: push.tokenSealed } })
        this.#note(push, 'INFO', 'push token deleted: FCM reports it as unregistered')
        return
      case 'refused':
        await this.#settle(push, claimedAt, new Date(now.getTime() + REFUSED_PAUSE_MS))
        if (!this.#refused.has(deviceId)) this.#note(push, 'WARN', `notice not sent with FCM: ${outcome.reason}`)
        this.#refused.add(deviceId)
        return
      case 'failed': {
        if (!this.#isFailing) log.warn({ reason: outcome.reason }, 'notices not sent with FCM, retrying')
        this.#isFailing = true
        const requested = retryAfterSeconds(outcome.retryAfter, now.getTime()) ?? 0
        const scheduled = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? 0
        const pauseSeconds = Math.min(LONGEST_PAUSE, Math.max(requested, scheduled))
        const nextAttemptAt = new Date(now.getTime() + pauseSeconds * 1000)
        if (attempts > PAUSES.length) await this.#settle(push, claimedAt, nextAttemptAt)
        else await database.phonePush.updateMany({ where: rowOf(push), data: { nextAttemptAt } })
      }
    }
  }

  /** Marks the work of this claim as announced. Later work is announced from `nextAttemptAt` on. */
  async #settle(push: ClaimedPush, claimedAt: Date, nextAttemptAt: Date): Promise<void> {
    const { settingsVersion } = push
    const data = { attempts: 0, noticedUntil: claimedAt, settingsVersion, nextAttemptAt }
    await this.#deps.database.phonePush.updateMany({ where: rowOf(push), data })
  }

  #note({ accountId, deviceId }: ClaimedPush, priority: 'INFO' | 'WARN', message: string): void {
    this.#deps.logbook.write({ accountId, deviceId, module: 'push', priority, message })
  }

  #report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.#deps.log.error({ err: error }, 'notice not sent with FCM, retrying')
    else if (!this.#isUnavailable)
      this.#deps.log.warn({ err: error }, 'paused sending notices with FCM: database unavailable, retrying')
    this.#isUnavailable ||= isDatabaseUnavailable(error)
  }
}

/**
 * Returns the condition for the row of a phone with this token. If the phone has registered another token meanwhile,
 * the result does not apply to the new token.
 */
function rowOf({ deviceId, tokenSealed }: ClaimedPush) {
  return { deviceId, tokenSealed }
}

function noticesOf({ hasMessages, hasNewSettings, cancelling }: ClaimedPush): PhoneNotice[] {
  return [
    ...(hasMessages ? [{ event: 'MessageEnqueued' as const }] : []),
    ...cancelling.map((messageId) => ({ event: 'MessageCancelled' as const, data: { messageId } })),
    ...(hasNewSettings ? [{ event: 'SettingsUpdated' as const }] : []),
  ]
}

const POLL_MS = 1_000
const MOST_RUNNING = 50
/** The pause after each failed attempt, in seconds. */
const PAUSES = [10, 60, 300, 900]
const LONGEST_PAUSE = 3_600
/** The pause after FCM refuses a push token, for example because the token belongs to another operator's project. */
const REFUSED_PAUSE_MS = 3_600_000
