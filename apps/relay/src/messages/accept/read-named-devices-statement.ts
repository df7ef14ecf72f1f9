import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { deviceColumns, deviceJoins, deviceRow, type StoredDevice, storedDevices } from './read-rosters-statement.ts'

export interface NamedDevice extends StoredDevice {
  /**
   * True if the device has a virtual modem, and any device of the account has a real modem. Without a virtual modem,
   * nothing depends on the other devices, so they are not read.
   */
  readonly hasRealModem: boolean
}

/**
 * Reads single devices of accounts with their slots and queue lengths. Does not return a device of another account, or
 * a deleted device. Takes no locks. The search for a real modem ends at the first one, so it takes long only in an
 * account with thousands of virtual modems and no real modem. Without OFFSET, PostgreSQL would read all SIMs first.
 */
export async function readNamedDevices(
  statements: Statements,
  named: readonly { readonly accountId: string; readonly deviceId: string }[],
  queueLimit: number,
): Promise<NamedDevice[]> {
  const rows = await readRows(
    statements,
    namedRow,
    Prisma.sql`
    WITH named AS MATERIALIZED (
      SELECT ${deviceColumns(queueLimit)}
      FROM unnest(
        ${named.map(({ accountId }) => accountId)}::text[], ${named.map(({ deviceId }) => deviceId)}::text[]
      ) AS n (account_id, id)
      JOIN devices d ON d.id = n.id AND d.account_id = n.account_id AND d.deleted_at IS NULL ${deviceJoins}
    ), real AS MATERIALIZED (
      SELECT a.id FROM (SELECT DISTINCT "accountId" AS id FROM named WHERE "emulatedSlots" IS NOT NULL) AS a
      WHERE EXISTS (
        SELECT FROM devices d WHERE d.account_id = a.id AND d.deleted_at IS NULL AND EXISTS (
          SELECT FROM sim_cards WHERE device_id = d.id AND NOT is_emulated OFFSET 0))
    )
    SELECT named.*, "accountId" IN (SELECT id FROM real) AS "hasRealModem" FROM named`,
  )
  return storedDevices(rows).map((device, index) => ({ ...device, hasRealModem: rows[index]?.hasRealModem ?? false }))
}

const namedRow = deviceRow.extend({ hasRealModem: z.boolean() })
