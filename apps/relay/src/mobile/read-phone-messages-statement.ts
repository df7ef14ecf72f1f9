import { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { attachmentsColumn, storedMessage } from '../messages/stored-message.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const text = z.string().nullable()
const time = z.date().nullable()

const phoneMessage = z.object({
  id: z.string(),
  phoneNumbers: z.array(z.string()),
  /** The phone has to cancel the message and report the outcome. */
  isCancelling: z.boolean(),
  text,
  data: z.instanceof(Uint8Array).nullable(),
  port: z.int().nullable(),
  key: z.bigint(),
  mms: storedMessage.shape.mms,
  attachments: storedMessage.shape.attachments,
  isEncrypted: z.boolean(),
  simNumber: z.int().nullable(),
  withDeliveryReport: z.boolean(),
  priority: z.int(),
  createdAt: z.date(),
  scheduleAt: time,
  validUntil: time,
})

export type PhoneMessage = Readonly<z.output<typeof phoneMessage>>

/**
 * Returns the messages that were dispatched to a phone and not confirmed, and the messages that the phone has to
 * cancel. Takes no locks, because dispatched messages always belong to this phone.
 */
export function readPhoneMessages(
  statements: Statements,
  { deviceId, accountId, journalId }: AgentConnection,
  order: 'lifo' | 'fifo',
  most: number,
): Promise<PhoneMessage[]> {
  return readRows(
    statements,
    phoneMessage,
    Prisma.sql`
    SELECT m.id, r.numbers AS "phoneNumbers", r.is_cancelling AS "isCancelling", m.text, m.data, m.port,
      m.key, m.mms, ${attachmentsColumn},
      m.is_encrypted AS "isEncrypted", m.sim_number AS "simNumber", m.with_delivery_report AS "withDeliveryReport",
      coalesce(m.priority, 0)::int AS priority, m.created_at AS "createdAt", m.schedule_at AS "scheduleAt",
      m.valid_until AS "validUntil"
    FROM (
      SELECT message_key, array_agg(phone_number ORDER BY position) AS numbers,
        bool_or(cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL) AS is_cancelling
      FROM recipients
      WHERE device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal = ${journalId}
        AND ((state IN ('Pending', 'Cancelling') AND processed_at IS NULL)
          OR (cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL))
      GROUP BY message_key
    ) AS r JOIN messages m ON m.key = r.message_key
    ORDER BY m.schedule_at NULLS LAST, coalesce(m.priority, 0) DESC,
      CASE WHEN ${order} = 'lifo' THEN -m.key ELSE m.key END
    LIMIT ${most}`,
  )
}
