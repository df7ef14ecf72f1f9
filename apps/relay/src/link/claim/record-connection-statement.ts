import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRow } from '../../store/read-rows.ts'
import type { ArrivingAgent, OpenConnectionOptions } from './open-connection.ts'
import { storedSims } from './store-sims-statement.ts'

export interface ReportedJournal {
  /** The number of the last stored event. Null if the device reports this journal for the first time. */
  readonly mark: bigint | null
  readonly markTag: string | null
}

/**
 * Records the connection of a device, the SIMs that it reports, and its journal. A new journal becomes the journal of
 * the device. A known journal does not, because it may be an old copy. The caller must have locked the device.
 *
 * One statement, because thousands of agents arrive at the same time when another relay stops.
 */
export function recordConnection(
  statements: RawStatements,
  agent: ArrivingAgent & { readonly connEpoch: bigint },
  options: OpenConnectionOptions,
): Promise<ReportedJournal> {
  const { accountId, deviceId, journalId, sims, connEpoch } = agent
  const { now } = options
  return readRow(
    statements,
    journalRow,
    Prisma.sql`
      WITH known AS (
        SELECT mark, mark_tag FROM device_journals WHERE device_id = ${deviceId} AND journal_id = ${journalId}
      ),
      begun AS (
        INSERT INTO device_journals (device_id, journal_id, created_at)
        SELECT ${deviceId}, ${journalId}, ${now}::timestamptz WHERE NOT EXISTS (SELECT FROM known)
      ),
      ${storedSims(deviceId, sims, now)}
      UPDATE devices SET conn_epoch = ${connEpoch}, capabilities_epoch = ${connEpoch},
        ${connectionColumns(agent, options)},
        journal_id = CASE WHEN EXISTS (SELECT FROM known) THEN journal_id ELSE ${journalId} END
      WHERE id = ${deviceId} AND account_id = ${accountId}
      RETURNING (SELECT mark FROM known) AS mark, (SELECT mark_tag FROM known) AS "markTag"`,
  )
}

/** Returns the assignments of an `UPDATE` that records what an agent has reported, and its relay. */
export function connectionColumns(
  { bootId, agentVersion, capabilities, encryptionKey }: ArrivingAgent,
  { relayId, leaseMs, now }: OpenConnectionOptions,
): Prisma.Sql {
  return Prisma.sql`
    relay_id = ${relayId}, lease_until = ${new Date(now.getTime() + leaseMs)}, last_seen = ${now},
    connected_at = ${now}, boot_id = ${bootId}, agent_version = ${agentVersion},
    capabilities = ${[...capabilities]}::text[], encryption_key = ${encryptionKey?.publicKey ?? null},
    encryption_key_version = ${encryptionKey?.version ?? null}`
}

const journalRow = z.object({ mark: z.bigint().nullable(), markTag: z.string().nullable() })
