import type { Database } from '../store/database.ts'

const EVENTS = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
]
const BATCH = 1_000

/**
 * Deletes received messages of all accounts this long after they were stored, and their webhook deliveries. A delivery that
 * is not finished has the content that its receiver needs, and is deleted afterwards. Returns the number of messages.
 */
export async function deleteReceived(database: Database, afterSeconds: number): Promise<number> {
  const messages = await inBatches(() => deleteItems(database, afterSeconds))
  await inBatches(() => deleteDeliveries(database, afterSeconds))
  return messages
}

async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await deleteBatch()
    total += count
    if (count < BATCH) return total
  }
}

/** Locks: skips messages that are being completed, until the next run. */
function deleteItems(database: Database, afterSeconds: number): Promise<number> {
  return database.$executeRaw`
    DELETE FROM inbox WHERE key IN (
      SELECT key FROM inbox WHERE stored_at <= now() - make_interval(secs => ${afterSeconds})
      ORDER BY stored_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`
}

/** Locks: skips deliveries whose result is being recorded, until the next run. */
function deleteDeliveries(database: Database, afterSeconds: number): Promise<number> {
  return database.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN (
      SELECT d.key FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key
      WHERE w.event = ANY(${EVENTS}::text[]) AND d.state IN ('delivered', 'failed', 'dropped')
        AND d.created_at <= now() - make_interval(secs => ${afterSeconds})
      LIMIT ${BATCH} FOR UPDATE OF d SKIP LOCKED)`
}
