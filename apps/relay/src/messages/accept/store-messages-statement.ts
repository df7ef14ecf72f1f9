// Outbound path, step 4: stores message and recipients in one commit. Next: wake-hints.ts.

import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import { HELD } from '../approval/decide-approval-statement.ts'
import { octetsOfData } from '../message-data.ts'
import type { NewMessage } from './accept-messages.ts'

/**
 * Stores any number of messages with their recipients in one round trip and one commit. Returns the positions of the
 * messages that were not stored, because their id or idempotency key already exists, or because their device was
 * deleted. All other messages are stored.
 *
 * Locks: if another transaction has just inserted the same id or key, this transaction waits until the other
 * transaction has ended. All messages are inserted in the order of key and id, so that two groups with the same keys
 * cannot deadlock. A wait of more than `waitMs` fails the whole group. The KEY SHARE lock on the device makes a
 * deletion of the device wait. The deletion then sees and ends all messages stored before it, and no message is stored
 * after it.
 *
 * A message that needs approval is due in the far future, so that no relay dispatches it, not even a relay of an older
 * release.
 *
 * The parameter is one JSON text, because one array per column costs a third more CPU time for quoting (`npm run
 * bench`).
 */
export async function storeMessages(
  statements: RawStatements,
  messages: readonly NewMessage[],
  waitMs: number,
): Promise<readonly number[]> {
  const leftOut = await readRows(
    statements,
    positionRow,
    Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT requested.*
      FROM json_to_recordset(${JSON.stringify(messages.map(rowOf))}::json) AS requested (position int, account_id text,
          id text, device_id text, created_at timestamptz, text text, data text, port int, mms jsonb, is_encrypted boolean,
          sim_number int, with_delivery_report boolean, priority smallint, valid_until timestamptz,
          schedule_at timestamptz, on_uncertain text, idempotency_key text, idempotency_fingerprint text, sent_by text,
          sent_by_key_id text, status_callback text, approval_until timestamptz, recipients json),
        (SELECT set_config('lock_timeout', ${`${waitMs}ms`}, true)) AS lock_timeout
    ), device AS MATERIALIZED (
      SELECT id, account_id FROM devices
      WHERE id IN (SELECT device_id FROM requested) AND deleted_at IS NULL
      FOR KEY SHARE
    ), stored AS (
      INSERT INTO messages (account_id, id, device_id, created_at, text, data, port, mms, is_encrypted, sim_number,
        with_delivery_report, priority, valid_until, schedule_at, on_uncertain, idempotency_key,
        idempotency_fingerprint, sent_by, sent_by_key_id, status_callback, approval, approval_until)
      SELECT account_id, id, device_id, created_at, text, decode(data, 'base64'), port, mms, is_encrypted, sim_number,
        with_delivery_report, priority, valid_until, schedule_at, on_uncertain, idempotency_key,
        decode(idempotency_fingerprint, 'base64'), sent_by, sent_by_key_id, status_callback,
        CASE WHEN approval_until IS NOT NULL THEN 'pending' END, approval_until
      FROM requested WHERE (device_id, account_id) IN (SELECT id, account_id FROM device)
      ORDER BY account_id, idempotency_key, id
      ON CONFLICT DO NOTHING
      RETURNING key, account_id, id
    ), waiting AS (
      INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, priority, due_at,
        not_before, valid_until)
      SELECT recipient.cmd_id, stored.key, requested.account_id, requested.device_id, recipient.position - 1,
        recipient.phone_number, coalesce(requested.priority, 0),
        CASE WHEN approval_until IS NULL THEN coalesce(requested.schedule_at, requested.created_at) ELSE ${HELD} END,
        CASE WHEN approval_until IS NULL THEN coalesce(requested.schedule_at, 'epoch') ELSE ${HELD} END,
        requested.valid_until
      FROM stored JOIN requested ON requested.account_id = stored.account_id AND requested.id = stored.id,
        ROWS FROM (json_to_recordset(requested.recipients) AS (cmd_id text, phone_number text))
          WITH ORDINALITY AS recipient (cmd_id, phone_number, position)
    )
    SELECT position FROM requested WHERE (account_id, id) NOT IN (SELECT account_id, id FROM stored)`,
  )
  return leftOut.map(({ position }) => position)
}

function rowOf(message: NewMessage, position: number) {
  const { content, idempotency } = message
  return {
    position,
    account_id: message.accountId,
    id: message.id,
    device_id: message.deviceId,
    created_at: message.createdAt,
    text: content.kind === 'data' ? undefined : content.text,
    data: content.kind === 'data' ? octetsOfData(content.data, message.isEncrypted).toString('base64') : undefined,
    port: content.kind === 'data' ? content.port : undefined,
    mms: content.kind === 'mms' ? { subject: content.subject } : undefined,
    is_encrypted: message.isEncrypted,
    sim_number: message.simNumber,
    with_delivery_report: message.withDeliveryReport,
    priority: message.priority,
    valid_until: message.validUntil,
    schedule_at: message.scheduleAt,
    on_uncertain: message.onUncertain,
    idempotency_key: idempotency?.key,
    idempotency_fingerprint: idempotency && Buffer.from(idempotency.fingerprint).toString('base64'),
    sent_by: message.sentBy.kind,
    sent_by_key_id: message.sentBy.keyId,
    status_callback: message.statusCallback,
    approval_until: message.approvalUntil,
    recipients: message.recipients.map(({ cmdId, phoneNumber }) => ({ cmd_id: cmdId, phone_number: phoneNumber })),
  }
}

const positionRow = z.object({ position: z.int() })
