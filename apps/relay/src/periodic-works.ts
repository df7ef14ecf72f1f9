import { endLostJournals } from './agents/end-lost-journals.ts'
import { forgetDeviceCommands } from './agents/forget-device-commands.ts'
import { loseSilentDevices } from './agents/lose-silent-devices.ts'
import { deleteExpiredTokens } from './auth/delete-expired-tokens.ts'
import { rotateSigningKeys } from './auth/rotate-signing-keys.ts'
import { deleteEndedSessions } from './auth/sessions/delete-ended-sessions.ts'
import type { Clock } from './clock.ts'
import type { RelayConfig } from './config.ts'
import { inboxRetention } from './inbox/inbox-retention.ts'
import { forgetLiveEvents } from './live/forget-live-events.ts'
import { logRetention } from './logs/log-retention.ts'
import { deleteOldMessages } from './messages/delete-old-messages.ts'
import { expireMessages } from './messages/expire-messages.ts'
import { hashMessages } from './messages/hash-messages.ts'
import type { Move } from './messages/message-progress.ts'
import type { Random } from './random.ts'
import { retentionWork } from './settings/retention.ts'
import type { Database } from './store/database.ts'
import type { PeriodicWork } from './store/periodic-work.ts'
import type { SecretBox } from './store/secret-box.ts'
import { longestToken } from './token-rules.ts'
import { deliveryRetention } from './webhooks/delivery-retention.ts'
import type { Outbox } from './webhooks/outbox.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY_MS = 86_400_000

export interface PeriodicParts {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly config: RelayConfig
  readonly onMoved: (moves: readonly Move[]) => void
}

/** What the relay does by itself, and how often. */
export function periodicWorks(parts: PeriodicParts, outbox: Outbox): PeriodicWork[] {
  const { database, clock, config } = parts
  const silence = {
    silenceMs: config.DEVICE_SILENCE_SECONDS * 1000,
    afterExpiryMs: config.DEVICE_SILENCE_AFTER_EXPIRY_SECONDS * 1000,
  }
  const doubtMs = config.SUBMIT_UNKNOWN_SECONDS * 1000
  const hashAfterSeconds = config.HASH_AFTER_SECONDS
  const yesterday = () => new Date(clock.now().getTime() - DAY_MS)
  return [
    work('expire messages', 1, async () => (await expireMessages(parts)) > 0 && outbox.wake()),
    work('end lost journals', MINUTE, () => endLostJournals(database, doubtMs, clock.now())),
    work('lose silent devices', MINUTE, () => loseSilentDevices(database, silence, clock.now(), parts.onMoved)),
    work('delete old messages', HOUR, () => deleteOldMessages(parts)),
    work('delete expired tokens', HOUR, () => deleteExpiredTokens(parts)),
    work('delete ended sessions', HOUR, () => deleteEndedSessions(parts)),
    work('forget live events', 10 * MINUTE, () => forgetLiveEvents(database)),
    work('forget device commands', HOUR, () => forgetDeviceCommands(database, yesterday())),
    work('rotate signing keys', HOUR, () => rotateSigningKeys({ ...parts, longestTokenSeconds: longestToken(config) })),
    retentionWork(parts, inboxRetention),
    retentionWork(parts, deliveryRetention),
    retentionWork(parts, logRetention),
    ...(hashAfterSeconds === undefined
      ? []
      : [work('hash messages', 10, () => hashMessages({ ...parts, hashAfterSeconds }))]),
  ]
}

function work(name: string, everySeconds: number, run: () => Promise<unknown>): PeriodicWork {
  return { name, everySeconds, run }
}
