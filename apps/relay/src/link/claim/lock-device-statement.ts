import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

export type DeviceBefore = Readonly<z.output<typeof deviceRow>>

/**
 * Returns the previous connection of a device, or undefined when the device was deleted.
 *
 * Claims and events of the previous connection lock the row, so this statement waits for them. Later claims and events
 * wait for this transaction. Locks with `FOR NO KEY UPDATE`, so that messages for the device are accepted in the
 * meantime.
 */
export async function lockDevice(
  statements: RawStatements,
  { deviceId, accountId }: Pick<AgentConnection, 'deviceId' | 'accountId'>,
): Promise<DeviceBefore | undefined> {
  const [device] = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
      SELECT d.conn_epoch AS "connEpoch", d.journal_id AS "journalId", d.boot_id AS "bootId", d.relay_id AS "relayId",
        coalesce(l.lease_until, d.lease_until) AS "leaseUntil"
      FROM devices d LEFT JOIN relays l ON l.id = d.relay_id
      WHERE d.id = ${deviceId} AND d.account_id = ${accountId} AND d.deleted_at IS NULL
      FOR NO KEY UPDATE OF d`,
  )
  return device
}

const deviceRow = z.object({
  connEpoch: z.bigint(),
  journalId: z.string().nullable(),
  bootId: z.string().nullable(),
  relayId: z.string().nullable(),
  leaseUntil: z.date().nullable(),
})
