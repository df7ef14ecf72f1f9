// Outbound path, step 8: commits the dispatch to the journal of the device. Next: session.ts.

import { type Command, type SendCommand, urgentPriority } from '@smsgw/contract/link/command'
import { onUncertain } from '@smsgw/contract/messages/message'
import { z } from 'zod'
import { isBesideRealModem } from '../../devices/beside-real-modem.ts'
import { dataOfOctets } from '../../messages/message-data.ts'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import { type AgentConnection, fence } from '../claim/agent-connection.ts'

/** How many commands the connection accepts now. */
export interface Room {
  /** The limit for sends of any priority. */
  readonly sends: number
  /**
   * The limit for all sends together. Sends beyond `sends` must be urgent, because they use credit that is reserved for
   * urgent sends.
   */
  readonly urgentSends: number
  /**
   * The limit for cancels. Commands other than cancels and sends have a separate limit of the same size. Only sends
   * cost credit.
   */
  readonly others: number
}

export interface ClaimOptions {
  /** Called for each claimed send with the number of seconds since it was due. */
  readonly onDispatched?: ((sinceDueSeconds: number) => void) | undefined
  /** True if sends are claimed for virtual modems even while the account has a real modem. */
  readonly mayMixEmulated?: boolean | undefined
  /** False if the claim returns nothing while another transaction changes the device, instead of waiting for it. */
  readonly mayWait?: boolean | undefined
}

/**
 * Claims the commands that are due for a device, in the order of dispatch: cancels, other commands, then sends by
 * priority and, within a priority, by the processing order of the account. When this returns, the commands belong to
 * the device's journal, and only then may a frame be sent. `readUnacknowledgedCommands` finds commands that were lost
 * on the way to the agent.
 *
 * A single statement needs only one round trip and one commit. When nothing is due, the fence locks no row and nothing
 * is written.
 *
 * Locked recipients are skipped, because waiting for them would have no advantage: they are being cancelled or ended,
 * or belong to an older claim that may still be completed. The message is not locked, because its state does not
 * change. A cancel, which locks the message and its recipients, waits for this statement and then sees the dispatch. A
 * sweep that was dispatched to another journal is dispatched again, because a second sweep does no harm.
 *
 * Only one of the subqueries `first_in` and `last_in` reads rows, because both check the processing order first. The
 * indexes contain only waiting rows, so the length of the history does not matter. LIFO sorts the queue of the device
 * each time, because an index for LIFO would cost a write for every accepted message.
 *
 * A device with virtual modems gets no sends while the account has a real modem, because `endEmulated` ends them.
 */
export async function claimCommands(
  statements: RawStatements,
  connection: AgentConnection,
  room: Room,
  now: Date,
  { onDispatched, mayMixEmulated = false, mayWait }: ClaimOptions = {},
): Promise<Command[]> {
  const { deviceId, accountId, journalId } = connection
  const ofDevice = Prisma.sql`device_id = ${deviceId} AND account_id = ${accountId}`
  const undispatchedCancel = Prisma.sql`${ofDevice} AND cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL
    AND cancel_dispatched_at IS NULL AND dispatched_journal = ${journalId}`
  const undispatchedCommand = Prisma.sql`${ofDevice} AND answered_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    AND (dispatched_journal IS NULL OR (dispatched_journal <> ${journalId} AND command ->> 'kind' = 'sweep'))`
  const dueSend = Prisma.sql`${ofDevice} AND state = 'Pending' AND dispatched_journal IS NULL
    AND coalesce(not_before, due_at) <= ${now} AND (valid_until IS NULL OR valid_until > ${now})
    ${mayMixEmulated ? Prisma.empty : Prisma.sql`AND NOT ${isBesideRealModem(Prisma.sql`${deviceId}`, Prisma.sql`${accountId}`)}`}`
  const rows = await readRows(
    statements,
    claimedRow,
    Prisma.sql`
    WITH ${fence(
      connection,
      Prisma.sql`(EXISTS (SELECT FROM recipients WHERE ${dueSend}) OR EXISTS (SELECT FROM recipients WHERE ${undispatchedCancel})
        OR EXISTS (SELECT FROM device_commands WHERE ${undispatchedCommand}))`,
      mayWait,
    )},
    undispatched_cancels AS MATERIALIZED (
      SELECT cmd_id FROM recipients WHERE EXISTS (SELECT FROM fence) AND ${undispatchedCancel}
      ORDER BY cancel_requested_at LIMIT ${room.others} FOR NO KEY UPDATE SKIP LOCKED
    ),
    undispatched_commands AS MATERIALIZED (
      SELECT cmd_id FROM device_commands WHERE EXISTS (SELECT FROM fence) AND ${undispatchedCommand}
      ORDER BY created_at LIMIT ${room.others} FOR NO KEY UPDATE SKIP LOCKED
    ),
    first_in AS MATERIALIZED (${waitingSends(dueSend, room, Prisma.sql`IS DISTINCT FROM 'LIFO'`, Prisma.sql`ASC`)}),
    last_in AS MATERIALIZED (${waitingSends(dueSend, room, Prisma.sql`= 'LIFO'`, Prisma.sql`DESC`)}),
    placed AS (
      SELECT cmd_id, priority, row_number() OVER () AS place
      FROM (SELECT * FROM first_in UNION ALL SELECT * FROM last_in) AS one_of_them
    ),
    cancels AS (
      UPDATE recipients r SET cancel_dispatched_at = ${now} FROM undispatched_cancels u WHERE r.cmd_id = u.cmd_id
      RETURNING r.cmd_id, r.cancel_requested_at
    ),
    commands AS (
      UPDATE device_commands c SET dispatched_journal = ${journalId}, dispatched_at = ${now}
      FROM undispatched_commands u WHERE c.cmd_id = u.cmd_id
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
    ORDER BY t.turn, t.since, t.place`,
  )
  if (onDispatched !== undefined) {
    for (const { command, dueAt } of rows)
      if (command === null) onDispatched(Math.max(0, now.getTime() - dueAt.getTime()) / 1000)
  }
  return rows.map(commandOf)
}

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

/** A recipient and its message, from which a send command is built. */
const sendRow = z.object({
  cmdId: z.string(),
  messageId: z.string(),
  phoneNumber: z.string(),
  text: z.string().nullable(),
  data: z.instanceof(Uint8Array).nullable(),
  port: z.int().nullable(),
  isEncrypted: z.boolean(),
  simNumber: z.int().nullable(),
  withDeliveryReport: z.boolean(),
  onUncertain: onUncertain.nullable(),
  priority: z.int(),
  acceptedAt: z.date(),
  dueAt: z.date(),
  validUntil: z.date().nullable(),
})

type SendRow = z.output<typeof sendRow>

/** `command` is set for every command except a send. The columns of `sendRow` are set only for a send. */
export const claimedRow = sendRow.extend({ command: z.custom<Command>().nullable() })

/** Columns of recipients `r` and messages `m`. */
export const sendColumns = Prisma.sql`
  r.cmd_id AS "cmdId", m.id AS "messageId", r.phone_number AS "phoneNumber", m.text, m.data, m.port,
  m.is_encrypted AS "isEncrypted", m.sim_number AS "simNumber", m.with_delivery_report AS "withDeliveryReport",
  m.on_uncertain AS "onUncertain", r.priority, m.created_at AS "acceptedAt", r.due_at AS "dueAt", r.valid_until AS "validUntil"`

export function commandOf(row: z.output<typeof claimedRow>): Command {
  return row.command ?? sendCommandOf(row)
}

function sendCommandOf(row: SendRow): SendCommand {
  const { cmdId, messageId, phoneNumber, isEncrypted, simNumber, withDeliveryReport, priority, validUntil } = row
  return {
    kind: 'send',
    cmdId,
    messageId,
    phoneNumber,
    content: contentOf(row),
    isEncrypted,
    ...(simNumber !== null && { simNumber }),
    withDeliveryReport,
    priority,
    acceptedAt: row.acceptedAt.toISOString(),
    ...(validUntil !== null && { validUntil: validUntil.toISOString() }),
    onUncertain: row.onUncertain ?? 'resolve',
  }
}

function contentOf({ text, data, port, isEncrypted }: SendRow): SendCommand['content'] {
  if (data === null || port === null) return { text: text ?? '' }
  return { data: dataOfOctets(data, isEncrypted), port }
}
