import type { Statements } from '../store/database.ts'

/** A device that reconnects within this time does not count as offline, for example after an update of its agent. */
const OFFLINE_SECONDS = 180
/**
 * No notification is sent when a device has been offline for longer, for example because the relay was stopped for a
 * day.
 */
const RECENT_SECONDS = 3_600

/**
 * Stores notifications of devices that went offline, once for each connection. Returns how many were stored.
 *
 * Locks: the devices. SKIP LOCKED leaves out devices that are connecting or disconnecting, which the next run finds.
 */
export function notifyOffline(statements: Statements, now: Date): Promise<number> {
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  return statements.$executeRaw`
    WITH offline AS MATERIALIZED (
      SELECT d.id FROM devices d LEFT JOIN relays l ON l.id = d.relay_id
      WHERE d.deleted_at IS NULL AND coalesce(coalesce(l.lease_until, d.lease_until) <= ${now}, true)
        AND greatest(d.last_seen, l.renewed_at) <= ${before(OFFLINE_SECONDS)}
        AND greatest(d.last_seen, l.renewed_at) > ${before(RECENT_SECONDS)}
        AND d.offline_push_epoch IS DISTINCT FROM d.conn_epoch
      ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED
    ), noted AS (
      UPDATE devices d SET offline_push_epoch = d.conn_epoch FROM offline WHERE d.id = offline.id
      RETURNING d.id, d.account_id, d.name
    )
    INSERT INTO push_notifications (account_id, subscription_id, kind, topic, about, subject_id)
    SELECT p.account_id, p.id, 'device.offline', left(noted.id, 32), noted.name, noted.id
    FROM noted JOIN push_subscriptions p ON p.account_id = noted.account_id AND 'device.offline' = ANY (p.events)`
}
