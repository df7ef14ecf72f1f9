import { z } from 'zod'
import { oldestWithinBytes, receivedBytes } from '../attachments/within-bytes.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const EVENTS = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
  'mms:batch:downloaded',
]
const BATCH = 1_000
const cutOffRow = z.strictObject({ before: z.string() })

/**
 * Deletes the received messages of all accounts that were stored more than `afterSeconds` ago, and then the webhook
 * deliveries of such messages. A delivery that is not finished is deleted later, because its receiver needs the
 * content. Returns the number of messages.
 *
 * SKIP LOCKED leaves out messages that are being completed, and deliveries whose result is being recorded. The next run
 * deletes them.
 */
export async function deleteReceived(database: Statements, afterSeconds: number): Promise<number> {
  // Reads the time once per run. Otherwise, a run might never end, because messages expire all the time.
  const [cutOff] = await readRows(
    database,
    cutOffRow,
    Prisma.sql`SELECT (now() - make_interval(secs => ${afterSeconds}))::text AS before`,
  )
  const before = cutOff?.before
  const messages = await inBatches(
    () => database.$executeRaw`
    DELETE FROM inbox WHERE key IN (${oldestWithinBytes(Prisma.sql`
      SELECT key, stored_at AS at, ${receivedBytes} FROM inbox
      WHERE stored_at <= ${before}::timestamptz
      ORDER BY stored_at, key LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`)})`,
  )
  await inBatches(
    () => database.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN (
      SELECT d.key FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key
      WHERE w.events && ${EVENTS}::text[] AND d.event = ANY(${EVENTS}::text[]) AND d.state IN ('delivered', 'failed', 'dropped')
        AND d.created_at <= ${before}::timestamptz
      LIMIT ${BATCH} FOR UPDATE OF d SKIP LOCKED)`,
  )
  return messages
}

async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await deleteBatch()
    total += count
    // Stops only at 0: a statement may delete fewer than BATCH messages because of large attachments.
    if (count === 0) return total
  }
}
