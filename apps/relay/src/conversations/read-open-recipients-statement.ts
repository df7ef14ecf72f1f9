import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const openRecipient = z.object({
  number: z.string(),
  cmdId: z.string(),
  deviceId: z.string(),
  state: z.enum(messageStates),
  errorCode: z.string().nullable(),
  isDispatched: z.boolean(),
  simNumber: z.int().nullable(),
  priority: z.int(),
  scheduleAt: z.date().nullable(),
  heldUntil: z.date().nullable(),
  createdAt: z.date(),
})

export type OpenRecipient = Readonly<z.output<typeof openRecipient>>

/**
 * Reads the columns that `lastWaits` needs in order to find out why recipients wait. The caller passes each message
 * with one of its numbers. Costs two index look-ups per message. Takes no locks.
 */
export function readOpenRecipients(
  statements: Statements,
  accountId: string,
  messages: readonly { readonly id: string; readonly number: string }[],
): Promise<OpenRecipient[]> {
  return readRows(
    statements,
    openRecipient,
    Prisma.sql`
    SELECT given.number, r.cmd_id AS "cmdId", m.device_id AS "deviceId", r.state, r.error_code AS "errorCode",
      r.dispatched_journal IS NOT NULL AS "isDispatched", m.sim_number AS "simNumber", r.priority,
      m.schedule_at AS "scheduleAt", CASE m.approval WHEN 'pending' THEN m.approval_until END AS "heldUntil", m.created_at AS "createdAt"
    FROM unnest(${messages.map(({ id }) => id)}::text[], ${messages.map(({ number }) => number)}::text[]) AS given (id, number)
      JOIN messages m ON m.account_id = ${accountId} AND m.id = given.id
      JOIN recipients r ON r.message_key = m.key AND r.phone_number = given.number`,
  )
}
