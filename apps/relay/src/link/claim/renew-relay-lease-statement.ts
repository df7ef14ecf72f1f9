import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'
import { oldRelayRuns, type RelayPresence } from './find-old-relays-statement.ts'

export interface RelayLease extends RelayPresence {
  readonly leaseMs: number
  readonly now: Date
}

/**
 * Extends the lease of a relay, which keeps all its devices online. So one row is written for the relay, instead of one
 * row for each device.
 *
 * `isNew` is true if the relay had no row, for example because its lease had ended long ago. `hasOldRelays` is true
 * while a relay of the previous release runs. Locks only the relay's own row.
 */
export async function renewRelayLease(
  database: Database,
  { relayId, worker, leaseMs, now }: RelayLease,
): Promise<{ readonly isNew: boolean; readonly hasOldRelays: boolean }> {
  const until = new Date(now.getTime() + leaseMs)
  return await readRow(
    database,
    renewedRow,
    Prisma.sql`
    WITH renewed AS (
      INSERT INTO relays (id, worker, lease_until, renewed_at) VALUES (${relayId}, ${worker ?? null}, ${until}, ${now})
      ON CONFLICT (id) DO UPDATE
        SET worker = excluded.worker, lease_until = excluded.lease_until, renewed_at = excluded.renewed_at
      RETURNING xmax = 0 AS is_new
    )
    SELECT (SELECT bool_or(is_new) FROM renewed) AS "isNew", ${oldRelayRuns({ relayId, worker })} AS "hasOldRelays"`,
  )
}

const renewedRow = z.object({ isNew: z.boolean(), hasOldRelays: z.boolean() })
