import { liveEventKinds } from '@smsgw/contract/live/live-event'
import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow, readRows } from '../store/read-rows.ts'

/**
 * Reads the events of all watched accounts whose number is greater than `after`, in order. Takes no locks. `LiveTail`
 * handles gaps, which are caused by events that are not yet committed.
 */
export async function readLiveEvents(statements: Statements, after: bigint, most: number): Promise<StoredLiveEvent[]> {
  return await readRows(
    statements,
    liveEvent,
    Prisma.sql`
    SELECT id, account_id AS "accountId", kind, data FROM live_events WHERE id > ${after} ORDER BY id LIMIT ${most}`,
  )
}

/** Reads the events of one account between two numbers. Takes no locks. */
export async function readMissedEvents(
  statements: Statements,
  accountId: string,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  most: number,
): Promise<StoredLiveEvent[]> {
  return await readRows(
    statements,
    liveEvent,
    Prisma.sql`
    SELECT id, account_id AS "accountId", kind, data FROM live_events
    WHERE account_id = ${accountId} AND id > ${after} AND id <= ${upTo} ORDER BY id LIMIT ${most}`,
  )
}

/** Returns the last assigned number, even if its transaction has not ended. Takes no locks. */
export async function readLastNumber(statements: Statements): Promise<bigint> {
  const { last } = await readRow(
    statements,
    lastRow,
    Prisma.sql`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM live_events_id_seq`,
  )
  return last
}

const liveEvent = z.object({
  id: z.bigint(),
  accountId: z.string(),
  kind: z.enum(liveEventKinds),
  data: z.custom<object>(),
})
const lastRow = z.object({ last: z.bigint() })

export type StoredLiveEvent = Readonly<z.output<typeof liveEvent>>
