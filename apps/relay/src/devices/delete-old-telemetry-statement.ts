import type { Database } from '../store/database.ts'

/** Older releases stored samples without a time of deletion. These samples are kept for this long. */
const KEPT_WITHOUT_TIME_MS = 7 * 86_400_000
const AT_ONCE = 5_000

/**
 * Deletes telemetry whose time of deletion has passed, the oldest first. Locks only the deleted rows, in small groups.
 */
export async function deleteOldTelemetry(database: Database, now: Date): Promise<void> {
  const deleteSome = () => database.$executeRaw`
    DELETE FROM telemetry WHERE key IN
      (SELECT key FROM telemetry WHERE forget_at <= ${now} ORDER BY forget_at LIMIT ${AT_ONCE})`
  const before = new Date(now.getTime() - KEPT_WITHOUT_TIME_MS)
  const deleteSomeWithoutTime = () => database.$executeRaw`
    DELETE FROM telemetry WHERE key IN
      (SELECT key FROM telemetry WHERE forget_at IS NULL AND at < ${before} ORDER BY at LIMIT ${AT_ONCE})`
  while ((await deleteSome()) === AT_ONCE);
  while ((await deleteSomeWithoutTime()) === AT_ONCE);
}
