import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

/**
 * Extends the separate leases of devices by `leaseMs`, and attaches the devices to `relayId` if it is given. Returns
 * the connections that are no longer the newest of their device, or whose device was deleted. The caller has to close
 * their sockets.
 *
 * Each phone has a separate lease. The devices of agents share the lease of their relay (`renewRelayLease`). They need
 * separate leases only while a relay of the previous release runs, because such a relay does not read the lease of a
 * relay.
 *
 * Devices are locked in the order of their ids, so that two relays cannot deadlock.
 */
export async function renewLeases(
  database: Database,
  connections: readonly AgentConnection[],
  { leaseMs, now, relayId }: { readonly leaseMs: number; readonly now: Date; readonly relayId?: string },
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
    UPDATE devices d SET lease_until = ${until}, last_seen = ${now}, relay_id = coalesce(${relayId ?? null}, d.relay_id)
    FROM alive WHERE d.id = alive.id
    RETURNING d.id, d.conn_epoch AS "connEpoch"`,
  )
  const alive = new Map(renewed.map(({ id, connEpoch }) => [id, Number(connEpoch)]))
  return connections.filter(({ deviceId, connEpoch }) => alive.get(deviceId) !== connEpoch)
}

const renewedRow = z.object({ id: z.string(), connEpoch: z.bigint() })
