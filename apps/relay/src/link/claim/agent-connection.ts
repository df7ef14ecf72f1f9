import { Prisma } from '../../store/generated/client.ts'

/** One connection of a device's agent. All claims and reports of the agent belong to a connection. */
export interface AgentConnection {
  readonly accountId: string
  readonly deviceId: string
  /** A number that increases with each connection of the device. */
  readonly connEpoch: number
  readonly journalId: string
}

/**
 * Returns the head of a statement that may run only for the newest connection. The head defines the table `fence`. It
 * has one row if this connection is the newest of its device and has the current journal. Otherwise, it is empty. The
 * row of the device stays locked until the commit. A newer connection waits for this lock, so it sees every claim of
 * this statement. Claims do not wait for each other or for events of the device. When `isWanted` is false, nothing is
 * locked and nothing is written. With `mayWait` false, the table is also empty while another transaction changes the
 * device.
 */
export function fence(
  { accountId, deviceId, connEpoch, journalId }: AgentConnection,
  isWanted = Prisma.sql`true`,
  mayWait = true,
): Prisma.Sql {
  return Prisma.sql`fence AS MATERIALIZED (
    SELECT d.id, a.settings FROM devices d JOIN accounts a ON a.id = d.account_id
    WHERE d.id = ${deviceId} AND d.account_id = ${accountId} AND d.conn_epoch = ${connEpoch}
      AND d.journal_id = ${journalId} AND d.deleted_at IS NULL AND ${isWanted}
    FOR SHARE OF d ${mayWait ? Prisma.empty : Prisma.sql`SKIP LOCKED`}
  )`
}
