import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

const claimedPush = z.object({
  deviceId: z.string(),
  accountId: z.string(),
  tokenSealed: z.string(),
  /** The number of attempts, including this attempt. */
  attempts: z.int(),
  /** The present version of the settings of the account. */
  settingsVersion: z.int(),
  hasNewSettings: z.boolean(),
  /** True if a message became due after the last notice and was not dispatched yet. */
  hasMessages: z.boolean(),
  /** Ids of the messages whose cancel was requested after the last notice. */
  cancelling: z.array(z.string()),
  /** Ids of requests to upload received messages. */
  sweeps: z.array(z.string()),
})

export type ClaimedPush = Readonly<z.output<typeof claimedPush>>

/**
 * How long a claim is valid. This is longer than the requests for one phone and the statement that records their
 * results.
 */
const CLAIMED_SECONDS = 120
/**
 * The largest number of cancels in one claim. After a notice, a phone requests the list of all messages that it has to
 * cancel. So notices of the first cancels are sufficient.
 */
const MOST_CANCELS = 5

/**
 * Claims phones that have a push token and no event stream, and whose latest work was not announced yet. Leaves out
 * work that is newer than `now`, because the result is recorded with this time. If the relay is killed before it
 * records the results, the phones are due again after two minutes. Costs a few index lookups for each phone.
 *
 * Locks: the rows, for this statement only. SKIP LOCKED leaves out rows that another relay is claiming.
 */
export function claimPushes(statements: Statements, limit: number, now: Date): Promise<ClaimedPush[]> {
  return readRows(
    statements,
    claimedPush,
    Prisma.sql`
    WITH work AS MATERIALIZED (
      SELECT p.device_id, d.account_id, a.settings_version, a.settings_version > p.settings_version AS has_new_settings,
        EXISTS (
          SELECT FROM recipients r WHERE r.device_id = d.id AND r.state = 'Pending' AND r.dispatched_journal IS NULL
            AND greatest(r.not_before, r.due_at) <= ${now} AND (r.valid_until IS NULL OR r.valid_until > ${now})
            AND greatest(r.not_before, r.due_at) > p.noticed_until
        ) AS has_messages,
        ARRAY(
          SELECT DISTINCT m.id FROM recipients r JOIN messages m ON m.key = r.message_key
          WHERE r.device_id = d.id AND r.dispatched_journal = d.journal_id
            AND r.cancel_requested_at > p.noticed_until AND r.cancel_requested_at <= ${now}
            AND r.cancel_answered_at IS NULL
          LIMIT ${MOST_CANCELS}
        ) AS cancelling,
        ARRAY(
          SELECT c.cmd_id FROM device_commands c
          WHERE c.device_id = d.id AND c.answered_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > ${now})
            AND c.command ->> 'kind' = 'sweep'
        ) AS sweeps
      FROM phone_pushes p JOIN devices d ON d.id = p.device_id JOIN accounts a ON a.id = d.account_id
      WHERE p.next_attempt_at <= ${now} AND (p.streams_until IS NULL OR p.streams_until <= ${now})
        AND d.deleted_at IS NULL
    ), due AS MATERIALIZED (
      SELECT p.device_id FROM phone_pushes p JOIN work w ON w.device_id = p.device_id
      WHERE p.next_attempt_at <= ${now}
        AND (w.has_new_settings OR w.has_messages OR w.cancelling <> '{}' OR w.sweeps <> '{}')
      ORDER BY p.next_attempt_at, p.device_id LIMIT ${limit} FOR UPDATE OF p SKIP LOCKED
    )
    UPDATE phone_pushes p SET attempts = p.attempts + 1,
      next_attempt_at = ${now}::timestamptz + make_interval(secs => ${CLAIMED_SECONDS})
    FROM due JOIN work w ON w.device_id = due.device_id WHERE p.device_id = due.device_id
    RETURNING p.device_id AS "deviceId", w.account_id AS "accountId", p.token_sealed AS "tokenSealed", p.attempts,
      w.settings_version AS "settingsVersion", w.has_new_settings AS "hasNewSettings", w.has_messages AS "hasMessages",
      w.cancelling, w.sweeps`,
  )
}
