import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

/**
 * Extends the leases of all connections of a process by `leaseMs`. Returns the connections that are no longer the newest of
 * their device, or whose device was deleted. The caller has to close their sockets.
 *
 * Devices are locked in the order of their ids, so that two relays cannot deadlock.
 */
export async function renewLeases(
  database: Database,
  connections: readonly AgentConnection[],
  { leaseMs, now }: { readonly leaseMs: number; readonly now: Date },
): Promise<AgentConnection[]> {
  if (connections.length === 0) return []
  const until = new Date(now.getTime() + leaseMs)
  const renewed = await readRows(
    database,
    renewedRow,
    Prisma.sql`
    WITH alive AS MATERIALIZED (
      SELECT d.id FROM unnest(
        ${connections.map(({ deviceId }) => deviceId)}::text[], ${connections.map(({ accountId }) => accountId)}::text[],
        ${connections.map(({ connEpoch }) => connEpoch)}::bigint[]
      ) AS c (device_id, account_id, conn_epoch)
      JOIN devices d ON d.id = c.device_id AND d.account_id = c.account_id AND d.conn_epoch = c.conn_epoch
      WHERE d.deleted_at IS NULL
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE devices d SET lease_until = ${until}, last_seen = ${now} FROM alive WHERE d.id = alive.id
    RETURNING d.id, d.conn_epoch AS "connEpoch"`,
  )
  const alive = new Map(renewed.map(({ id, connEpoch }) => [id, Number(connEpoch)]))
  return connections.filter(({ deviceId, connEpoch }) => alive.get(deviceId) !== connEpoch)
}

const renewedRow = z.object({ id: z.string(), connEpoch: z.bigint() })
