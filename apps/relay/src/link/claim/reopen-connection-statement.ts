import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { ArrivingAgent, OpenConnectionOptions } from './open-connection.ts'
import { connectionColumns } from './record-connection-statement.ts'
import { storedSims } from './store-sims-statement.ts'

export type ReopenedConnection = Readonly<z.output<typeof reopenedRow>>

/**
 * Locks a device, records its new connection and commits, in one statement. Does this in the usual case only: the agent
 * has the current journal of the device, and no other transaction locks the device, opens a connection of it or stores
 * events of it at the same time. Otherwise writes nothing and returns undefined, and the caller opens the connection in
 * a transaction.
 *
 * A transaction reads after it has locked the device. A single statement reads the state at its beginning, which may be
 * older than its lock. But the rows that it locks have their latest values. So the statement compares both: each
 * connection increments the epoch, and each batch of events increments the mark. If both are equal, the state at the
 * beginning was still the latest when the device was locked. So the mark is final, and no SIM is missed. The journal is
 * locked after the device, because its search needs the id of the locked device.
 */
export async function reopenConnection(
  statements: RawStatements,
  agent: ArrivingAgent,
  options: OpenConnectionOptions,
): Promise<ReopenedConnection | undefined> {
  const { accountId, deviceId, journalId, sims } = agent
  const { now } = options
  const ofAgent = Prisma.sql`d.id = ${deviceId} AND d.account_id = ${accountId} AND d.journal_id = ${journalId}
    AND d.deleted_at IS NULL`
  const [reopened] = await readRows(
    statements,
    reopenedRow,
    Prisma.sql`
      WITH beginning AS MATERIALIZED (
        SELECT d.conn_epoch, j.mark FROM devices d
        JOIN device_journals j ON j.device_id = d.id AND j.journal_id = d.journal_id
        WHERE ${ofAgent}
      ),
      device AS MATERIALIZED (
        SELECT d.id, d.conn_epoch, d.boot_id, d.relay_id, coalesce(l.lease_until, d.lease_until) AS lease_until
        FROM devices d LEFT JOIN relays l ON l.id = d.relay_id
        WHERE ${ofAgent}
        FOR NO KEY UPDATE OF d SKIP LOCKED
      ),
      journal AS MATERIALIZED (
        SELECT j.mark, j.mark_tag FROM device_journals j
        WHERE j.device_id = (SELECT id FROM device) AND j.journal_id = ${journalId}
        FOR NO KEY UPDATE OF j SKIP LOCKED
      ),
      before AS MATERIALIZED (
        SELECT device.*, journal.* FROM beginning
        JOIN device ON device.conn_epoch = beginning.conn_epoch JOIN journal ON journal.mark = beginning.mark
      ),
      ${storedSims(deviceId, sims, now, Prisma.sql`EXISTS (SELECT FROM before)`)}
      UPDATE devices d SET conn_epoch = before.conn_epoch + 1, capabilities_epoch = before.conn_epoch + 1,
        ${connectionColumns(agent, options)}
      FROM before WHERE d.id = before.id
      RETURNING d.conn_epoch AS "connEpoch", before.mark, before.mark_tag AS "markTag", before.boot_id AS "bootId",
        before.relay_id AS "relayId", before.lease_until AS "leaseUntil"`,
  )
  return reopened
}

const reopenedRow = z.object({
  connEpoch: z.bigint(),
  mark: z.bigint(),
  markTag: z.string().nullable(),
  bootId: z.string().nullable(),
  relayId: z.string().nullable(),
  leaseUntil: z.date().nullable(),
})
