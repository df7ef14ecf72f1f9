import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AttachmentOctets } from '@smsgw/contract/messages/mms'
import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'
import { storableJson, storableText } from '../store/storable.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import { storedItem } from './stored-item.ts'

/** A received message, from the event of an agent or the upload of a phone. */
export type Received = FromAgent | DownloadedMms

export type FromAgent = Loosened<Extract<AgentEvent, { kind: 'received' }>>

/** A phone may omit the SIM and the port, and may encrypt the content. */
type Loosened<Event> = Event extends unknown
  ? Omit<Event, 'kind' | 'simNumber' | 'recipient' | 'port' | 'parts'> & Optional
  : never

interface Optional {
  /** The kind of the event, which agents report and the relay does not store. */
  readonly kind?: 'received'
  readonly parts?: number
  readonly recipient?: string | undefined
  readonly simNumber?: number | undefined
  readonly port?: number | undefined
  readonly isEncrypted?: boolean | undefined
}

/** An MMS with its content. Only a phone can download the content of an MMS. */
interface DownloadedMms extends Optional {
  readonly type: 'MMS_DOWNLOADED'
  readonly id: string
  readonly receivedAt: string
  readonly sender: string
  readonly text: string
  readonly attachments: readonly NewAttachment[]
}

export interface NewAttachment {
  readonly partId: number
  readonly name: string
  readonly contentType: string
  readonly octets: AttachmentOctets
}

const insertedRow = storedItem.extend({ isNew: z.boolean(), isBlocked: z.boolean() })

/**
 * Inserts a received message, or completes a stored partial message. Returns the row, or undefined if nothing changed
 * because the message was stored before.
 *
 * A single statement is used, so that two concurrent reports store a message only once. The second report waits for the
 * first.
 */
export async function insertReceived(
  statements: RawStatements,
  device: { readonly id: string; readonly accountId: string },
  received: Received,
  now: Date,
): Promise<z.output<typeof insertedRow> | undefined> {
  const row = receivedRow(device.id, received, now)
  const [inserted] = await readRows(
    statements,
    insertedRow,
    Prisma.sql`
    INSERT INTO inbox (${receivedColumns})
    SELECT ${receivedValues(device.accountId, row)}
    ON CONFLICT (account_id, id) DO UPDATE SET text = excluded.text, data = excluded.data, is_partial = false,
        is_encrypted = excluded.is_encrypted
      WHERE inbox.is_partial AND NOT excluded.is_partial
    RETURNING id, device_id AS "deviceId", type, sender, recipient, sim_number AS "simNumber",
      created_at AS "createdAt", offset_minutes AS "offsetMinutes", text, data, port, mms,
      is_encrypted AS "isEncrypted", xmax = 0 AS "isNew", ${isFromBlocked} AS "isBlocked"`,
  )
  return inserted
}

/** The SQL condition that the sender of an inbox row is blocked. */
export const isFromBlocked = Prisma.sql`EXISTS (SELECT FROM conversation_states s
  WHERE s.account_id = inbox.account_id AND s.number = inbox.sender AND s.blocked_at IS NOT NULL)`

/** The columns of a new row, in the order of `receivedValues`. */
export const receivedColumns = Prisma.sql`account_id, id, device_id, type, sender, recipient, sim_number, created_at,
  offset_minutes, text, data, port, mms, is_partial, is_encrypted`

export function receivedValues(accountId: string, row: ReceivedRow): Prisma.Sql {
  const mms = row.mms === null ? null : JSON.stringify(row.mms)
  return Prisma.sql`${accountId}::text, ${row.id}::text, ${row.deviceId}::text, ${row.type}::text, ${row.sender}::text,
    ${row.recipient}::text, ${row.simNumber}::int, ${row.createdAt}::timestamptz, ${row.offsetMinutes}::int,
    ${row.text}::text, ${row.data}::bytea, ${row.port}::int, ${mms}::jsonb, ${row.isPartial}::boolean,
    ${row.isEncrypted}::boolean`
}

export type ReceivedRow = ReturnType<typeof receivedRow>

/** Returns the row of a received message, with the values that the database returns after it is stored. */
export function receivedRow(deviceId: string, received: Received, now: Date) {
  const { at, offsetMinutes } = eventTime(received.receivedAt, now)
  return {
    id: storableText(received.id),
    deviceId,
    type: received.type,
    sender: storableText(received.sender),
    recipient: received.recipient === undefined ? null : storableText(received.recipient),
    simNumber: received.simNumber ?? null,
    createdAt: at,
    offsetMinutes,
    ...contentOf(received),
    isEncrypted: received.isEncrypted ?? false,
  }
}

function contentOf(received: Received) {
  const nothing = { text: null, data: null, port: null, mms: null, isPartial: false }
  switch (received.type) {
    case 'SMS':
      return { ...nothing, text: storableText(received.text), isPartial: received.isPartial ?? false }
    case 'DATA_SMS': {
      const data = Buffer.from(received.data, 'base64')
      return { ...nothing, data, port: received.port ?? null, isPartial: received.isPartial ?? false }
    }
    case 'MMS': {
      const { transactionId, subject, size, contentClass, contentLocation, expiresAt } = received
      const mms = { transactionId, subject, size, contentClass, contentLocation, expiresAt }
      return { ...nothing, mms: storableJson(mms) }
    }
    case 'MMS_DOWNLOADED':
      return { ...nothing, text: storableText(received.text) }
  }
}
