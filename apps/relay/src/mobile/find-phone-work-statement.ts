import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const phoneWork = z.object({
  deviceId: z.string(),
  /** True if a message is due that was not dispatched yet. */
  hasMessages: z.boolean(),
  /** Ids of the messages that the phone has to cancel. */
  cancelling: z.array(z.string()),
  /** Ids of requests to upload received messages. */
  sweeps: z.array(z.string()),
})

export type PhoneWork = Readonly<z.output<typeof phoneWork>>

/**
 * Returns the phones with an open stream that have work to do. Takes no locks. Costs a few index look-ups per phone
 * (0.01 ms), for any number of waiting messages.
 */
export function findPhoneWork(
  statements: Statements,
  deviceIds: readonly string[],
  now: Date,
): Promise<readonly PhoneWork[]> {
  return readRows(
    statements,
    phoneWork,
    Prisma.sql`
    SELECT * FROM (
      SELECT d.id AS "deviceId",
        EXISTS (
          SELECT FROM recipients r WHERE r.device_id = d.id AND r.state = 'Pending' AND r.dispatched_journal IS NULL
            AND coalesce(r.not_before, r.due_at) <= ${now} AND (r.valid_until IS NULL OR r.valid_until > ${now})
        ) AS "hasMessages",
        ARRAY(
          SELECT DISTINCT m.id FROM recipients r JOIN messages m ON m.key = r.message_key
          WHERE r.device_id = d.id AND r.dispatched_journal = d.journal_id
            AND r.cancel_requested_at IS NOT NULL AND r.cancel_answered_at IS NULL
          LIMIT ${MOST_CANCELS}
        ) AS cancelling,
        ARRAY(
          SELECT c.cmd_id FROM device_commands c
          WHERE c.device_id = d.id AND c.answered_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > ${now})
            AND c.command ->> 'kind' = 'sweep'
        ) AS sweeps
      FROM devices d WHERE d.id = ANY(${[...deviceIds]}::text[]) AND d.deleted_at IS NULL
    ) AS work
    WHERE "hasMessages" OR cancelling <> '{}' OR sweeps <> '{}'`,
  )
}

/**
 * The largest number of cancels in one result. After a notice, a phone requests the list of all messages that it has to
 * cancel. So notices of the first cancels are sufficient.
 */
const MOST_CANCELS = 100
