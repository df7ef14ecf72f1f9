import type { Log } from '@smsgw/daemon/log/log'
import { deleteEndedKeys } from './auth/keys/delete-ended-keys-statement.ts'
import { deleteOldRecognisedLogins } from './auth/passwords/delete-old-recognised-logins-statement.ts'
import { deleteEndedSessions } from './auth/sessions/delete-ended-sessions-statement.ts'
import { rotateSigningKeys } from './auth/tokens/rotate-signing-keys.ts'
import { deleteExpiredTokens } from './auth/tokens/token-endpoints.ts'
import type { RelayConfig } from './config.ts'
import { updateConversationOrder } from './conversation-order/update-order.ts'
import { isOrderBehind } from './conversation-order/update-order-statement.ts'
import type { CoreDeps } from './core-deps.ts'
import { deleteOldDeviceCommands } from './devices/ask-device.ts'
import { deleteOldTelemetry } from './devices/delete-old-telemetry-statement.ts'
import { deleteReceived } from './inbox/delete-received-statement.ts'
import { inboxRetention } from './inbox/inbox-retention-statement.ts'
import { endOldRelayLeases } from './link/claim/end-relay-leases-statement.ts'
import { endLostJournals, loseSilentDevices } from './link/claim/lose-messages.ts'
import { deleteOldLiveEvents } from './live/delete-live-events-statement.ts'
import { keepLogPartitions, logRetention } from './logs/log-retention-statement.ts'
import { checkMessageCounts } from './messages/counts/check-message-counts.ts'
import { areCountsBehind, updateMessageCounts } from './messages/counts/update-message-counts.ts'
import { deleteOldMessages } from './messages/delete-old-messages-statement.ts'
import { endEmulated, endUnapproved, expireMessages, hasEmulated, hasExpired } from './messages/end-undispatched.ts'
import { hashMessages } from './messages/hash-messages.ts'
import type { Move } from './messages/progress/message-progress.ts'
import { notifyOffline } from './push/notify-offline-statement.ts'
import { deleteEndedSubscriptions } from './push/valid-subscriptions-statement.ts'
import { retentionJob } from './settings/retention.ts'
import { deleteUnusedStates } from './shared-inbox/delete-unused-states-statement.ts'
import { areListCountsBehind } from './store/list-counts/list-counts-statement.ts'
import { checkListCounts, updateListCounts } from './store/list-counts/update-list-counts.ts'
import { polling } from './store/raw-statements.ts'
import type { PeriodicJob } from './store/run-periodic-jobs.ts'
import { longestToken } from './token-rules.ts'
import { deliveryRetention } from './webhooks/outbox/delivery-retention-statement.ts'
import type { Outbox } from './webhooks/outbox/enqueue-events.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 24 * HOUR
const DAY_MS = 86_400_000

interface PeriodicJobDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random' | 'box'> {
  /** The URL for connections outside the pool. */
  readonly url: string
  readonly log: Log
  readonly config: RelayConfig
  readonly onMoved: (moves: readonly Move[]) => void
  readonly outbox: Outbox
}

/** Returns the periodic jobs with their intervals in seconds. The name of a job is also the name of its lock. */
export function periodicJobs(deps: PeriodicJobDeps): PeriodicJob[] {
  const { database, clock, config, outbox } = deps
  /**
   * Wraps a job that ends messages and returns their number, so that the webhook events it has recorded are delivered
   * at once.
   */
  const endingJob = (
    name: string,
    everySeconds: number,
    run: () => Promise<number>,
    isNeeded?: () => Promise<boolean>,
  ) => job(name, everySeconds, async () => (await run()) > 0 && outbox.wake(), isNeeded)
  const silence = {
    silenceMs: config.DEVICE_SILENCE_SECONDS * 1000,
    afterExpiryMs: config.DEVICE_SILENCE_AFTER_EXPIRY_SECONDS * 1000,
  }
  const doubtMs = config.SUBMIT_UNKNOWN_SECONDS * 1000
  const hashAfterSeconds = config.HASH_AFTER_SECONDS
  const deleteReceivedSeconds = config.DELETE_RECEIVED_AFTER_SECONDS
  const yesterday = () => new Date(clock.now().getTime() - DAY_MS)
  return [
    endingJob(
      'expire messages',
      1,
      () => expireMessages(deps),
      () => hasExpired({ statements: polling(database), clock }),
    ),
    endingJob('end messages that nobody approved', 5, () => endUnapproved(deps)),
    ...(config.MIX_EMULATED_MODEMS
      ? []
      : [
          endingJob(
            'end messages of virtual modems',
            5,
            () => endEmulated(deps),
            () => hasEmulated(polling(database)),
          ),
        ]),
    endingJob('end messages in lost journals', MINUTE, () =>
      endLostJournals(database, doubtMs, clock.now(), deps.onMoved),
    ),
    job('end leases of killed relays', MINUTE, () => endOldRelayLeases(database, clock.now())),
    endingJob('end messages of silent devices', MINUTE, () =>
      loseSilentDevices(database, silence, clock.now(), deps.onMoved),
    ),
    job('delete old messages', HOUR, () => deleteOldMessages(deps)),
    job('delete expired tokens', HOUR, () => deleteExpiredTokens(deps)),
    job('delete ended API keys', HOUR, () => deleteEndedKeys(database, clock.now())),
    job('delete ended sessions', HOUR, () => deleteEndedSessions(deps)),
    job('delete old recognised logins', HOUR, () => deleteOldRecognisedLogins(database)),
    job('delete old live events', 10 * MINUTE, () => deleteOldLiveEvents(database)),
    job('delete old device commands', HOUR, () => deleteOldDeviceCommands(database, yesterday())),
    job('delete old telemetry', MINUTE, () => deleteOldTelemetry(database, clock.now())),
    job('rotate signing keys', HOUR, () => rotateSigningKeys({ ...deps, longestTokenSeconds: longestToken(config) })),
    job('delete ended push subscriptions', HOUR, () => deleteEndedSubscriptions(database)),
    job('notify browsers of offline devices', MINUTE, async () => {
      if ((await notifyOffline(database, clock.now())) > 0) outbox.wake()
    }),
    job(
      'update conversation order',
      1,
      () => updateConversationOrder(database),
      () => isOrderBehind(polling(database)),
    ),
    job(
      'update message counts',
      1,
      () => updateMessageCounts(database),
      () => areCountsBehind(polling(database)),
    ),
    job('check message counts', DAY, () => checkMessageCounts(deps)),
    job(
      'update list counts',
      1,
      (stopping) => updateListCounts({ ...deps, stopping }),
      () => areListCountsBehind(polling(database)),
    ),
    job('check list counts', DAY, (stopping) => checkListCounts({ ...deps, stopping })),
    job('delete unused conversation states', HOUR, () => deleteUnusedStates(database)),
    retentionJob(deps, inboxRetention),
    retentionJob(deps, deliveryRetention),
    job('keep log partitions', HOUR, () => keepLogPartitions({ ...deps, now: clock.now() })),
    retentionJob(deps, logRetention),
    ...(hashAfterSeconds === undefined
      ? []
      : [job('hash messages', 10, () => hashMessages({ ...deps, hashAfterSeconds }))]),
    ...(deleteReceivedSeconds === undefined
      ? []
      : [job('delete received messages', 10, () => deleteReceived(database, deleteReceivedSeconds))]),
  ]
}

function job(
  name: string,
  everySeconds: number,
  run: PeriodicJob['run'],
  isNeeded?: () => Promise<boolean>,
): PeriodicJob {
  return { name, everySeconds, run, ...(isNeeded && { isNeeded }) }
}
