import { Prisma } from '../store/generated/client.ts'

/** One connection of a device's agent: what it shows with everything that it claims or tells. */
export interface AgentConnection {
  readonly accountId: string
  readonly deviceId: string
  /** Goes up with each connection of the device. */
  readonly connEpoch: number
  readonly journalId: string
}

/**
 * The fence, as the head of a statement that claims something: `fence` has a row while this is the device's newest
 * connection, with the journal that counts. The row is locked against a newer connection until the statement is
 * committed: what is claimed here is either seen by the newer connection, or not claimed. Claims do not wait for each
 * other, nor for the events of the device. It is not locked, which is a write, where `isWanted` says that it need not be.
 */
export function fence(
  { accountId, deviceId, connEpoch, journalId }: AgentConnection,
  isWanted = Prisma.sql`true`,
): Prisma.Sql {
  return Prisma.sql`fence AS MATERIALIZED (
    SELECT d.id, a.settings FROM devices d JOIN accounts a ON a.id = d.account_id
    WHERE d.id = ${deviceId} AND d.account_id = ${accountId} AND d.conn_epoch = ${connEpoch}
      AND d.journal_id = ${journalId} AND d.deleted_at IS NULL AND ${isWanted}
    FOR SHARE OF d
  )`
}
