import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { latestLease } from './lease.ts'

/**
 * `endOldRelayLeases` ends a lease only this long after its last renewal. A relay without access to the database keeps
 * its agents for some time. If its lease had been ended, the relay would have to attach all these agents again.
 */
const KEPT_MS = 600_000

/**
 * Ends the lease of a relay that stops, and marks its devices offline. Locks the row of the relay, then the devices by
 * id.
 */
export function endRelayLease(statements: Statements, relayId: string): Promise<number> {
  return endLeases(statements, Prisma.sql`id = ${relayId}`)
}

/**
 * Ends the leases of relays that were killed, and marks their devices offline. If a lease ends later than
 * `latestLease`, it was written before the clock was set back. A running relay renews such a lease within a second, and
 * attaches its devices again if the lease was ended.
 */
export function endOldRelayLeases(statements: Statements, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  return endLeases(statements, Prisma.sql`lease_until NOT BETWEEN ${before} AND ${latestLease(now)}`)
}

function endLeases(statements: Statements, which: Prisma.Sql): Promise<number> {
  return statements.$executeRaw`
    WITH ended AS (
      DELETE FROM relays WHERE ${which} RETURNING id, renewed_at
    ), connected AS MATERIALIZED (
      SELECT d.id, ended.renewed_at FROM devices d JOIN ended ON ended.id = d.relay_id
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE devices d SET relay_id = NULL, lease_until = NULL, last_seen = greatest(d.last_seen, connected.renewed_at)
    FROM connected WHERE d.id = connected.id`
}
