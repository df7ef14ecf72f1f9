import type { Statements } from '../../store/database.ts'
import type { DueReceiver } from './take-receivers-statement.ts'

/**
 * Disables a webhook that still has this URL. Returns 0 when it was disabled before or has another URL now.
 *
 * Locks the webhook. So if its URL is changed at the same time, the change waits, and then enables the webhook again.
 */
export function disableReceiver(
  statements: Statements,
  { key, url }: Pick<DueReceiver, 'key' | 'url'>,
  reason: string,
): Promise<number> {
  return statements.$executeRaw`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = ${reason}, updated_at = now()
    WHERE key = ${key} AND url = ${url} AND disabled_at IS NULL`
}
