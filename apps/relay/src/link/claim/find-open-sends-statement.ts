import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

/**
 * Finds the unfinished messages of a device in journals other than this one. Takes no locks. The caller holds the lock
 * of the device, so no message is dispatched in the meantime.
 */
export function findOpenSends(
  statements: RawStatements,
  { deviceId, accountId, journalId }: Omit<AgentConnection, 'connEpoch'>,
): Promise<z.output<typeof sendRow>[]> {
  return readRows(
    statements,
    sendRow,
    Prisma.sql`
      SELECT cmd_id AS "cmdId" FROM recipients
      WHERE device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal <> ${journalId}
        AND state IN ('Pending', 'Cancelling', 'Processed')`,
  )
}

const sendRow = z.object({ cmdId: z.string() })
