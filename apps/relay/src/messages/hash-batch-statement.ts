import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const hashedRecipient = z.object({
  messageKey: z.bigint(),
  /** This column and the next columns are null if the message has no recipients. */
  accountId: z.string().nullable(),
  cmdId: z.string().nullable(),
  errorCode: z.string().nullable(),
})

export type HashedRecipient = Readonly<z.output<typeof hashedRecipient>>

/** A Raspberry Pi reads and hashes this number of bytes in a few seconds. A statement may take at most 30 seconds. */
const MOST_ATTACHMENT_BYTES = 32 * 1024 * 1024

/**
 * Replaces content and numbers of at most `limit` messages with hashes, which the database computes. The hash of an MMS
 * is computed from its subject, text and attachments, in this order. Handles fewer messages if their attachments are
 * large, but at least one. Returns the recipients of these messages.
 *
 * Locks messages before their recipients, as every statement does. SKIP LOCKED leaves out locked messages, which the
 * next run hashes.
 */
export function hashBatch(statements: Statements, finishedBefore: Date, limit: number): Promise<HashedRecipient[]> {
  return readRows(
    statements,
    hashedRecipient,
    Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT key, finished_at, mms IS NOT NULL AS is_mms FROM messages
      WHERE finished_at IS NOT NULL AND content_hash IS NULL AND finished_at <= ${finishedBefore}
      ORDER BY finished_at LIMIT ${limit}
      FOR NO KEY UPDATE SKIP LOCKED
    ), sized AS (
      SELECT key, finished_at, CASE WHEN is_mms THEN (
          SELECT coalesce(sum(size), 0) FROM message_attachments WHERE message_key = locked.key) ELSE 0 END AS bytes
      FROM locked
    ), due AS MATERIALIZED (
      SELECT key FROM (SELECT key, sum(bytes) OVER (ORDER BY finished_at, key) - bytes AS bytes_before FROM sized) AS one
      WHERE bytes_before < ${MOST_ATTACHMENT_BYTES}
    ), content AS (
      UPDATE messages SET content_hash = encode(sha256(CASE WHEN mms IS NULL
          THEN coalesce(data, convert_to(coalesce(text, ''), 'UTF8'))
          ELSE convert_to(coalesce(mms ->> 'subject', '') || coalesce(text, ''), 'UTF8') || coalesce((
            SELECT string_agg(octets, '' ORDER BY position) FROM message_attachments WHERE message_key = messages.key), '')
          END), 'hex'),
        text = NULL, data = NULL, mms = CASE WHEN mms IS NOT NULL THEN '{}'::jsonb END
      FROM due WHERE messages.key = due.key
    ), attachments AS (
      DELETE FROM message_attachments USING due WHERE message_key = due.key
    ), queued AS (
      -- The order of conversations contains the numbers until they are looked up again.
      INSERT INTO conversation_order_queue (account_id, number)
      SELECT DISTINCT r.account_id, r.phone_number FROM due JOIN recipients r ON r.message_key = due.key
      ORDER BY r.account_id, r.phone_number
    ), numbers AS (
      UPDATE recipients SET phone_number = left(encode(sha256(convert_to(phone_number, 'UTF8')), 'hex'), 16)
      FROM due WHERE message_key = due.key
      RETURNING message_key, account_id, cmd_id, error_code
    )
    SELECT due.key AS "messageKey", account_id AS "accountId", cmd_id AS "cmdId", error_code AS "errorCode"
    FROM due LEFT JOIN numbers ON message_key = due.key`,
  )
}
