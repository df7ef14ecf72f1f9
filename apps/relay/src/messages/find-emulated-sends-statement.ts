import { z } from 'zod'
import { isBesideRealModem } from '../devices/beside-real-modem.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Finds recipients that were not sent yet, on devices with virtual modems, in accounts with a real modem. Begins with
 * the virtual SIMs, because there are few of them. Takes no locks, because messages must be locked before recipients
 * (`lockMessages`). If the state of a recipient changes before the caller locks it, the caller leaves this recipient as
 * it is.
 */
export function findEmulatedSends(statements: RawStatements, limit: number): Promise<z.output<typeof waitingRow>[]> {
  return readRows(
    statements,
    waitingRow,
    Prisma.sql`
      WITH emulated AS MATERIALIZED (
        SELECT d.id FROM devices d
        WHERE d.id IN (SELECT device_id FROM sim_cards WHERE is_emulated) AND d.deleted_at IS NULL
          AND ${isBesideRealModem(Prisma.sql`d.id`, Prisma.sql`d.account_id`)}
      )
      SELECT r.account_id AS "accountId", r.cmd_id AS "cmdId" FROM emulated JOIN recipients r ON r.device_id = emulated.id
      WHERE r.state IN ('Pending', 'Processed') LIMIT ${limit}`,
  )
}

const waitingRow = z.object({ accountId: z.string(), cmdId: z.string() })
