import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { MessageProgress, RecipientUpdate } from './message-progress.ts'

/**
 * Reads the messages of the updates with all their recipients and locks them until the end of the transaction.
 *
 * Locks: the state of a message follows from all its recipients, so every change of a recipient has to lock the
 * message. Otherwise, concurrent device events, cancels and expiries would write states computed from old rows. The
 * recipients are also locked, because a dispatch locks only recipients. So a cancel waits for a running dispatch and
 * sees its result. Messages are locked by key, then recipients by position, so that no deadlock is possible. NO KEY
 * UPDATE is sufficient because no key changes. Concurrent inserts of parts do not wait for it.
 */
export async function lockMessages(
  statements: RawStatements,
  updates: readonly RecipientUpdate[],
): Promise<readonly MessageProgress[]> {
  const rows = await readRows(
    statements,
    lockedRow,
    Prisma.sql`
    SELECT m.key, m.id, m.account_id AS "accountId", m.device_id AS "deviceId", m.sim_number AS "simNumber",
      m.state AS "messageState", m.created_at AS "createdAt",
      m.finished_at AS "finishedAt", m.cancelling_at AS "messageCancellingAt", m.cancelled_at AS "messageCancelledAt",
      m.processed_at AS "messageProcessedAt", m.sent_at AS "messageSentAt", m.delivered_at AS "messageDeliveredAt",
      m.failed_at AS "messageFailedAt", m.content_hash IS NOT NULL AS "isHashed", m.status_callback AS "statusCallback",
      r.cmd_id AS "cmdId", r.phone_number AS "phoneNumber", r.state, r.error, r.error_code AS "errorCode",
      r.used_sim_number AS "usedSimNumber", r.sender_number AS "senderNumber", r.parts_count AS "partsCount",
      r.possible_duplicate AS "possibleDuplicate",
      r.dispatched_journal AS "dispatchedJournal", r.cancel_requested_at AS "cancelRequestedAt",
      r.cancel_answered_at AS "cancelAnsweredAt", r.processed_at AS "processedAt", r.sent_at AS "sentAt",
      r.delivered_at AS "deliveredAt", r.failed_at AS "failedAt", r.cancelled_at AS "cancelledAt"
    FROM messages m JOIN recipients r ON r.message_key = m.key
    WHERE m.key IN (
      SELECT updated.message_key
      FROM unnest(
        ${updates.map(({ cmdId }) => cmdId)}::text[], ${updates.map(({ accountId }) => accountId)}::text[],
        ${updates.map(({ deviceId }) => deviceId ?? null)}::text[]
      ) AS update (cmd_id, account_id, device_id)
      JOIN recipients updated ON updated.cmd_id = update.cmd_id AND updated.account_id = update.account_id
        AND updated.device_id = coalesce(update.device_id, updated.device_id)
    )
    ORDER BY m.key, r.position
    FOR NO KEY UPDATE OF m, r`,
  )
  return [...Map.groupBy(rows, ({ key }) => key).values()].map(messageOf)
}

const text = z.string().nullable()
const time = z.date().nullable()
const number = z.int().nullable()

const lockedRow = z.object({
  key: z.bigint(),
  id: z.string(),
  accountId: z.string(),
  deviceId: z.string(),
  simNumber: number,
  messageState: z.enum(messageStates),
  createdAt: z.date(),
  finishedAt: time,
  messageCancellingAt: time,
  messageCancelledAt: time,
  messageProcessedAt: time,
  messageSentAt: time,
  messageDeliveredAt: time,
  messageFailedAt: time,
  isHashed: z.boolean(),
  statusCallback: text,
  cmdId: z.string(),
  phoneNumber: z.string(),
  state: z.enum(messageStates),
  error: text,
  errorCode: text,
  usedSimNumber: number,
  senderNumber: text,
  partsCount: number,
  possibleDuplicate: z.boolean(),
  dispatchedJournal: text,
  cancelRequestedAt: time,
  cancelAnsweredAt: time,
  processedAt: time,
  sentAt: time,
  deliveredAt: time,
  failedAt: time,
  cancelledAt: time,
})

type Row = z.output<typeof lockedRow>

function messageOf(rows: readonly Row[]): MessageProgress {
  const [row] = rows as [Row]
  return {
    key: row.key,
    id: row.id,
    accountId: row.accountId,
    deviceId: row.deviceId,
    simNumber: row.simNumber,
    state: row.messageState,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    isHashed: row.isHashed,
    statusCallback: row.statusCallback,
    cancellingAt: row.messageCancellingAt,
    cancelledAt: row.messageCancelledAt,
    processedAt: row.messageProcessedAt,
    sentAt: row.messageSentAt,
    deliveredAt: row.messageDeliveredAt,
    failedAt: row.messageFailedAt,
    recipients: rows,
  }
}
