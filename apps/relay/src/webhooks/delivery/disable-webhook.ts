import type { Logbook } from '../../logs/logbook.ts'
import type { Database } from '../../store/database.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface DisableWebhookNeeds {
  readonly database: Database
  readonly logbook: Logbook
}

/**
 * Nothing is sent to it any more. What waits is dropped, and can be redelivered when it is enabled again. One that was
 * moved to another URL meanwhile is left alone.
 */
export async function disableWebhook(
  { database, logbook }: DisableWebhookNeeds,
  { key, id, accountId, url }: Pick<Receiver, 'key' | 'id' | 'accountId' | 'url'>,
  reason: string,
): Promise<void> {
  const disabled = await database.$executeRaw`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = ${reason}, updated_at = now()
    WHERE key = ${key} AND url = ${url} AND disabled_at IS NULL`
  if (disabled === 0) return
  const message = `a webhook was disabled: ${reason}. Register it again under its id to enable it`
  logbook.write({ accountId, module: 'webhooks', priority: 'ERROR', message, context: { webhookId: id } })
  let dropped: number
  do {
    dropped = await database.$executeRaw`
      UPDATE webhook_deliveries SET state = 'dropped', finished_at = now()
      WHERE key IN (SELECT d.key FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
        WHERE w.key = ${key} AND w.disabled_at IS NOT NULL AND d.state = 'waiting'
        LIMIT ${ROWS_AT_ONCE} FOR NO KEY UPDATE OF d)`
  } while (dropped === ROWS_AT_ONCE)
}

const ROWS_AT_ONCE = 5_000
