import type { Statements } from '../store/database.ts'
import type { LiveEvent } from './live-event.ts'

/** After a place, in order; of every account that is watched anywhere. */
export async function readLiveEvents(statements: Statements, after: bigint, most: number): Promise<LiveEvent[]> {
  return await statements.$queryRaw<LiveEvent[]>`
    SELECT id, account_id AS "accountId", kind, data FROM live_events WHERE id > ${after} ORDER BY id LIMIT ${most}`
}

/** Of one account, between two places. */
export async function readMissedEvents(
  statements: Statements,
  accountId: string,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  most: number,
): Promise<LiveEvent[]> {
  return await statements.$queryRaw<LiveEvent[]>`
    SELECT id, account_id AS "accountId", kind, data FROM live_events
    WHERE account_id = ${accountId} AND id > ${after} AND id <= ${upTo} ORDER BY id LIMIT ${most}`
}

/** Of the last event that was numbered, whether or not its transaction has come to an end. */
export async function readLastNumber(statements: Statements): Promise<bigint> {
  const [row] = await statements.$queryRaw<{ last: bigint }[]>`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM live_events_id_seq`
  return row?.last ?? 0n
}
