import { Prisma } from '../store/generated/client.ts'

/**
 * A Raspberry Pi deletes this many bytes of attachments in a few seconds. A statement that takes more than 30 seconds
 * would fail in each run.
 */
const MOST_DELETED_BYTES = 64 * 1024 * 1024

/**
 * Returns the keys of the oldest messages, up to the message whose attachments reach MOST_DELETED_BYTES in total.
 * `messages` selects `key`, `at` (the time that determines the order) and `bytes` (the size of the attachments) of each
 * message.
 */
export function oldestWithinBytes(messages: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT key FROM (
      SELECT key, sum(bytes) OVER (ORDER BY at, key) - bytes AS bytes_before FROM (${messages}) AS messages
    ) AS sized WHERE bytes_before < ${MOST_DELETED_BYTES}`
}

/** The size of the attachments of a row of `inbox`. */
export const receivedBytes = Prisma.sql`CASE WHEN inbox.type = 'MMS_DOWNLOADED' THEN (
  SELECT coalesce(sum(size), 0) FROM inbox_attachments WHERE inbox_key = inbox.key) ELSE 0 END AS bytes`

/** The size of the attachments of a row of `messages`. */
export const sentBytes = Prisma.sql`CASE WHEN messages.mms IS NOT NULL THEN (
  SELECT coalesce(sum(size), 0) FROM message_attachments WHERE message_key = messages.key) ELSE 0 END AS bytes`
