import type { MessageState } from '@smsgw/contract/message-states'
import type { Statements } from '../store/database.ts'
import type { MessageProgress, RecipientNews, TrackedRecipient } from './message-progress.ts'

/**
 * Reads the messages that the news are about, each with all its recipients, and locks them until the transaction ends.
 *
 * The state of a message follows from all its recipients, so whoever changes one of them must hold the message: events of
 * a device, a cancel through the API, expiry and the loss of a device otherwise write states of each other's past. The
 * recipients are locked too, because a dispatch takes only those: a cancel then waits for a dispatch that is under way and
 * sees its result. Everybody locks messages by key, then recipients by position, so nobody waits in a circle. It is NO KEY
 * UPDATE because no key changes: parts that are inserted meanwhile need not wait.
 */
export async function lockMessages(
  statements: Statements,
  news: readonly RecipientNews[],
): Promise<readonly MessageProgress[]> {
  const rows = await statements.$queryRaw<Row[]>`
    SELECT m.key, m.id, m.account_id AS "accountId", m.device_id AS "deviceId", m.state AS "messageState",
      m.finished_at AS "finishedAt", m.cancelling_at AS "messageCancellingAt", m.cancelled_at AS "messageCancelledAt",
      m.processed_at AS "messageProcessedAt", m.sent_at AS "messageSentAt", m.delivered_at AS "messageDeliveredAt",
      m.failed_at AS "messageFailedAt", m.content_hash IS NOT NULL AS "isHashed",
      r.cmd_id AS "cmdId", r.phone_number AS "phoneNumber", r.state, r.error, r.error_code AS "errorCode",
      r.used_sim_number AS "usedSimNumber", r.sender_number AS "senderNumber", r.parts_count AS "partsCount",
      r.dispatched_journal AS "dispatchedJournal", r.cancel_requested_at AS "cancelRequestedAt",
      r.cancel_answered_at AS "cancelAnsweredAt", r.processed_at AS "processedAt", r.sent_at AS "sentAt",
      r.delivered_at AS "deliveredAt", r.failed_at AS "failedAt", r.cancelled_at AS "cancelledAt"
    FROM messages m JOIN recipients r ON r.message_key = m.key
    WHERE m.key IN (
      SELECT told.message_key
      FROM unnest(
        ${news.map(({ cmdId }) => cmdId)}::text[], ${news.map(({ accountId }) => accountId)}::text[],
        ${news.map(({ deviceId }) => deviceId ?? null)}::text[]
      ) AS news (cmd_id, account_id, device_id)
      JOIN recipients told ON told.cmd_id = news.cmd_id AND told.account_id = news.account_id
        AND told.device_id = coalesce(news.device_id, told.device_id)
    )
    ORDER BY m.key, r.position
    FOR NO KEY UPDATE OF m, r`
  return [...Map.groupBy(rows, ({ key }) => key).values()].map(messageOf)
}

type Row = Pick<MessageProgress, 'key' | 'id' | 'accountId' | 'deviceId' | 'finishedAt' | 'isHashed'> &
  TrackedRecipient & {
    readonly messageState: MessageState
    readonly messageCancellingAt: Date | null
    readonly messageCancelledAt: Date | null
    readonly messageProcessedAt: Date | null
    readonly messageSentAt: Date | null
    readonly messageDeliveredAt: Date | null
    readonly messageFailedAt: Date | null
  }

function messageOf(rows: readonly Row[]): MessageProgress {
  const [row] = rows as [Row]
  return {
    key: row.key,
    id: row.id,
    accountId: row.accountId,
    deviceId: row.deviceId,
    state: row.messageState,
    finishedAt: row.finishedAt,
    isHashed: row.isHashed,
    cancellingAt: row.messageCancellingAt,
    cancelledAt: row.messageCancelledAt,
    processedAt: row.messageProcessedAt,
    sentAt: row.messageSentAt,
    deliveredAt: row.messageDeliveredAt,
    failedAt: row.messageFailedAt,
    recipients: rows,
  }
}
