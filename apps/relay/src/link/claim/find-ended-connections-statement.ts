import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

/**
 * Returns the connections of this list that have ended, because their device was deleted (alone or with its account),
 * or has a newer connection. The caller has to close their sockets. Takes no locks. A lookup of 5,000 ids by primary
 * key takes a few milliseconds.
 */
export async function findEndedConnections(
  statements: RawStatements,
  connections: readonly AgentConnection[],
): Promise<z.output<typeof endedRow>[]> {
  return await readRows(
    statements,
    endedRow,
    Prisma.sql`
    SELECT c.device_id AS "deviceId", c.conn_epoch::int AS "connEpoch", d.id IS NULL AS "isDeleted" FROM unnest(
      ${connections.map(({ deviceId }) => deviceId)}::text[], ${connections.map(({ accountId }) => accountId)}::text[],
      ${connections.map(({ connEpoch }) => connEpoch)}::bigint[]
    ) AS c (device_id, account_id, conn_epoch)
    LEFT JOIN devices d ON d.id = c.device_id AND d.account_id = c.account_id AND d.deleted_at IS NULL
    WHERE d.id IS NULL OR d.conn_epoch <> c.conn_epoch`,
  )
}

const endedRow = z.object({ deviceId: z.string(), connEpoch: z.int(), isDeleted: z.boolean() })
