import { type Command, urgentPriority } from '@smsgw/contract/link/command'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { type AgentConnection, fence } from './agent-connection.ts'
import { type SendRow, sendColumns, sendCommand } from './send-command.ts'

/** How much the connection takes now. */
export interface Room {
  readonly sends: number
  /** With those that are urgent, for which room is kept: at least `sends`. */
  readonly urgentSends: number
  /** Of cancels, and of other commands; they cost no credit. */
  readonly others: number
}

/**
 * Takes what waits for a device and is due, in the order in which it is to be told: cancels, then what the device is asked
 * beside sending, then sends: by priority, and within one priority as the account wants. What it takes belongs to the
 * device's journal when this returns, and only then may a frame leave; what is lost on the way is found by
 * `unacknowledgedCommands`.
 *
 * One statement, so one round trip and one commit; and none at all when nothing waits, as the fence then locks no row.
 *
 * SKIP LOCKED: whoever holds a recipient is about to cancel or end it, or is an older claim that the fence lets finish;
 * this one need not wait to learn that it gets nothing. It takes no lock on the message, because no state changes: a
 * cancel, which locks message and recipients, waits for it and finds the device. A sweep that another journal was asked
 * for is asked again, since doing it twice does no harm.
 *
 * Of the two orders of sends one runs; the other's condition is false before it looks at a row. The indexes hold only what
 * waits, so the length of the history costs nothing. LIFO sorts the device's queue each time: an index for it would cost
 * every accepted message a write.
 */
export async function claimCommands(
  statements: Statements,
  connection: AgentConnection,
  room: Room,
  now: Date,
  onDispatched?: (sinceDueSeconds: number) => void,
): Promise<Command[]> {
  const { deviceId, accountId, journalId } = connection
  const ofDevice = Prisma.sql`device_id = ${deviceId} AND account_id = ${accountId}`
  const untoldCancel = Prisma.sql`${ofDevice} AND cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL
    AND cancel_dispatched_at IS NULL AND dispatched_journal = ${journalId}`
  const untoldCommand = Prisma.sql`${ofDevice} AND answered_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    AND (dispatched_journal IS NULL OR (dispatched_journal <> ${journalId} AND command ->> 'kind' = 'sweep'))`
  const dueSend = Prisma.sql`${ofDevice} AND state = 'Pending' AND dispatched_journal IS NULL
    AND due_at <= ${now} AND (valid_until IS NULL OR valid_until > ${now})`
  const rows = await statements.$queryRaw<ClaimedRow[]>`
    WITH ${fence(
      connection,
      Prisma.sql`(EXISTS (SELECT FROM recipients WHERE ${dueSend}) OR EXISTS (SELECT FROM recipients WHERE ${untoldCancel})
        OR EXISTS (SELECT FROM device_commands WHERE ${untoldCommand}))`,
    )},
    untold_cancels AS MATERIALIZED (
      SELECT cmd_id FROM recipients WHERE EXISTS (SELECT FROM fence) AND ${untoldCancel}
      ORDER BY cancel_requested_at LIMIT ${room.others} FOR NO KEY UPDATE SKIP LOCKED
    ),
    untold_commands AS MATERIALIZED (
      SELECT cmd_id FROM device_commands WHERE EXISTS (SELECT FROM fence) AND ${untoldCommand}
      ORDER BY created_at LIMIT ${room.others} FOR NO KEY UPDATE SKIP LOCKED
    ),
    first_in AS MATERIALIZED (${waitingSends(dueSend, room, Prisma.sql`IS DISTINCT FROM 'LIFO'`, Prisma.sql`ASC`)}),
    last_in AS MATERIALIZED (${waitingSends(dueSend, room, Prisma.sql`= 'LIFO'`, Prisma.sql`DESC`)}),
    placed AS (
      SELECT cmd_id, priority, row_number() OVER () AS place
      FROM (SELECT * FROM first_in UNION ALL SELECT * FROM last_in) AS one_of_them
    ),
    cancels AS (
      UPDATE recipients r SET cancel_dispatched_at = ${now} FROM untold_cancels u WHERE r.cmd_id = u.cmd_id
      RETURNING r.cmd_id, r.cancel_requested_at
    ),
    commands AS (
      UPDATE device_commands c SET dispatched_journal = ${journalId}, dispatched_at = ${now}
      FROM untold_commands u WHERE c.cmd_id = u.cmd_id
      RETURNING c.command, c.created_at
    ),
    sends AS (
      UPDATE recipients r SET dispatched_journal = ${journalId}, dispatched_at = ${now}
      FROM placed WHERE r.cmd_id = placed.cmd_id
        AND (placed.place <= ${room.sends} OR placed.priority >= ${urgentPriority})
      RETURNING r.*, placed.place
    )
    SELECT t.command, ${sendColumns}
    FROM (
      SELECT 1 AS turn, cancel_requested_at AS since, 0 AS place,
        jsonb_build_object('kind', 'cancel', 'cmdId', cmd_id) AS command, NULL AS send FROM cancels
      UNION ALL SELECT 2, created_at, 0, command, NULL FROM commands
      UNION ALL SELECT 3, NULL, place, NULL, cmd_id FROM sends
    ) AS t
    LEFT JOIN sends r ON r.cmd_id = t.send LEFT JOIN messages m ON m.key = r.message_key
    ORDER BY t.turn, t.since, t.place`
  if (onDispatched !== undefined) {
    for (const { command, dueAt } of rows) if (command === null) onDispatched((now.getTime() - dueAt.getTime()) / 1000)
  }
  return rows.map((row) => row.command ?? sendCommand(row))
}

type ClaimedRow = SendRow & { readonly command: Command | null }

function waitingSends(
  dueSend: Prisma.Sql,
  { urgentSends }: Room,
  order: Prisma.Sql,
  direction: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`
    SELECT cmd_id, priority FROM recipients
    WHERE EXISTS (SELECT FROM fence WHERE settings #>> '{messages,processing_order}' ${order}) AND ${dueSend}
    ORDER BY priority DESC, due_at ${direction}, message_key ${direction}, position
    LIMIT ${urgentSends}
    FOR NO KEY UPDATE SKIP LOCKED`
}
