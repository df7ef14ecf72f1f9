import { oldestWithinBytes, receivedBytes } from '../attachments/within-bytes.ts'
import { keepOrder } from '../conversation-order/update-order-statement.ts'
import type { RetentionRule } from '../settings/retention.ts'
import { Prisma } from '../store/generated/client.ts'

/** Received messages are kept as long as sent messages. Locks only the deleted rows, for a short time. */
export const inboxRetention: RetentionRule = {
  name: 'inbox retention',
  days: ({ messages }) => messages.log_lifetime_days,
  deleteOlder: (database, accountId, before, limit) => database.$executeRaw`
    DELETE FROM inbox WHERE ${keepOrder} AND key IN (${oldestWithinBytes(Prisma.sql`
      SELECT key, created_at AS at, ${receivedBytes} FROM inbox
      WHERE account_id = ${accountId} AND created_at < ${before}
      ORDER BY created_at, key LIMIT ${limit}`)})`,
}
