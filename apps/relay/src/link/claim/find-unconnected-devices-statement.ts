import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'
import type { EndedConnection } from './close-connections-statement.ts'
import { latestLease } from './lease.ts'

/**
 * Returns the devices that are attached to this relay, but have none of its connections. The caller passes all
 * connections of the relay. Such devices exist if the answer of the database was lost after a connection was opened.
 * While a connection is being opened, its device has a valid lease of its own, so the device is not returned. Takes no
 * locks.
 */
export async function findUnconnectedDevices(
  database: Database,
  { relayId, now }: { readonly relayId: string; readonly now: Date },
  connections: readonly AgentConnection[],
): Promise<EndedConnection[]> {
  return await readRows(
    database,
    deviceRow,
    Prisma.sql`
    SELECT d.id AS "deviceId", d.account_id AS "accountId", d.conn_epoch::int AS "connEpoch" FROM devices d
    WHERE d.relay_id = ${relayId} AND coalesce(d.lease_until NOT BETWEEN ${now} AND ${latestLease(now)}, true)
      AND NOT EXISTS (
        SELECT FROM unnest(
          ${connections.map(({ deviceId }) => deviceId)}::text[], ${connections.map(({ connEpoch }) => connEpoch)}::bigint[]
        ) AS c (device_id, conn_epoch)
        WHERE c.device_id = d.id AND c.conn_epoch = d.conn_epoch
      )`,
  )
}

const deviceRow = z.object({ deviceId: z.string(), accountId: z.string(), connEpoch: z.int() })
