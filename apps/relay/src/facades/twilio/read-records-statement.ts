import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { bucketsSince, inBucket } from '../../messages/by-number/recipients-of-number.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

const text = z.string().nullable()
const time = z.date().nullable()

const messageRecord = z.object({
  /** 0 stands for one recipient of a sent message, 1 for a received message. */
  source: z.int(),
  key: z.bigint(),
  /** Position of the recipient; 0 for a received message. */
  position: z.int(),
  /** `cmdId` of the recipient, or the id of the received message. */
  id: z.string(),
  /** The id of the message in the API of the relay. */
  messageId: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
  sentAt: time,
  state: z.enum(messageStates).nullable(),
  isDispatched: z.boolean(),
  scheduleAt: time,
  to: text,
  from: text,
  text,
  partsCount: z.int().nullable(),
  /** Number of attachments. */
  mediaCount: z.int(),
  error: text,
  errorCode: text,
  sentBy: text,
})

/** A message of Twilio's interface, which has exactly one recipient. */
export type MessageRecord = Readonly<z.output<typeof messageRecord>>

/** A position in a list. */
export type RecordPlace = Pick<MessageRecord, 'createdAt' | 'source' | 'key' | 'position'>

export interface RecordFilter {
  readonly accountId: string
  readonly hasSent: boolean
  readonly hasReceived: boolean
  /** Records with one of these spellings of a number. */
  readonly to?: readonly string[] | undefined
  readonly from?: readonly string[] | undefined
  readonly createdFrom?: Date | undefined
  readonly createdBefore?: Date | undefined
}

const ofRecipient = Prisma.sql`
  0 AS source, m.key, r.position::int AS position, r.cmd_id AS id, m.id AS "messageId", m.created_at AS "createdAt",
  greatest(m.created_at, r.processed_at, r.sent_at, r.delivered_at, r.failed_at, r.cancelled_at) AS "updatedAt",
  r.sent_at AS "sentAt", r.state, r.dispatched_journal IS NOT NULL AS "isDispatched", m.schedule_at AS "scheduleAt",
  r.phone_number AS "to", coalesce(r.sender_number, s.phone_number) AS "from", m.text, r.parts_count AS "partsCount",
  (CASE WHEN m.mms IS NULL THEN 0
    ELSE (SELECT count(*) FROM message_attachments a WHERE a.message_key = m.key) END)::int AS "mediaCount",
  r.error, r.error_code AS "errorCode", m.sent_by AS "sentBy"`

/** The number of the requested SIM, which is shown until the SIM that sends the message is known. */
const ofSim = Prisma.sql`LEFT JOIN sim_cards s ON s.device_id = m.device_id AND s.sim_number = m.sim_number`

/** Twilio's interface shows only received messages that contain a whole text. */
const receivedTypes = Prisma.sql`('SMS', 'MMS_DOWNLOADED')`

const ofReceived = Prisma.sql`
  1 AS source, i.key, 0 AS position, i.id, i.id AS "messageId", i.created_at AS "createdAt", i.created_at AS "updatedAt",
  i.created_at AS "sentAt", NULL::message_state AS state, false AS "isDispatched", NULL::timestamptz AS "scheduleAt",
  i.recipient AS "to", i.sender AS "from", i.text, NULL::int AS "partsCount",
  (CASE i.type WHEN 'MMS_DOWNLOADED' THEN (SELECT count(*) FROM inbox_attachments a WHERE a.inbox_key = i.key)
    ELSE 0 END)::int AS "mediaCount",
  NULL AS error, NULL AS "errorCode", NULL AS "sentBy"`

/**
 * Reads the records after a place, newest first, with the recipients of a message in the order of the request. Takes no
 * locks.
 *
 * Without a number, sent messages are read state by state, as in `readHistory`, because their index begins with the
 * state.
 */
export function readRecords(
  statements: Statements,
  filter: RecordFilter,
  { after, take }: { readonly after: RecordPlace | undefined; readonly take: number },
): Promise<MessageRecord[]> {
  const parts = [
    ...(filter.hasSent ? [sentRecords(filter, after, take)] : []),
    ...(filter.hasReceived ? [receivedRecords(filter, after, take)] : []),
  ]
  if (parts.length === 0) return Promise.resolve([])
  return readRows(
    statements,
    messageRecord,
    Prisma.sql`
    SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS record
    ORDER BY "createdAt" DESC, source, key DESC, position LIMIT ${take}`,
  )
}

function sentRecords(filter: RecordFilter, after: RecordPlace | undefined, take: number): Prisma.Sql {
  const { accountId, to, from } = filter
  const wanted = [
    ...timeBounds('m.created_at', filter),
    ...(from
      ? [
          Prisma.sql`EXISTS (SELECT FROM recipients f WHERE f.message_key = m.key AND f.sender_number = ANY(${[...from]}::text[]))`,
        ]
      : []),
    ...(after === undefined ? [] : [sentBound(after)]),
  ]
  // Reads one message more than needed, because all recipients of the first message may come before the place.
  const newest = Prisma.sql`ORDER BY m.created_at DESC, m.key DESC LIMIT ${take + 1}`
  const scan =
    to === undefined
      ? Prisma.sql`
        SELECT one.key FROM unnest(${[...messageStates]}::message_state[]) AS wanted (state) CROSS JOIN LATERAL (
          SELECT m.key, m.created_at FROM messages m
          WHERE m.state = wanted.state AND ${and([Prisma.sql`m.account_id = ${accountId}`, ...wanted])} ${newest}
        ) AS one
        ORDER BY one.created_at DESC, one.key DESC LIMIT ${take + 1}`
      : Prisma.sql`
        SELECT one.key FROM ${bucketsSince(Prisma.sql`0`)} CROSS JOIN LATERAL (
          SELECT m.key, m.created_at FROM recipients r JOIN messages m ON m.key = r.message_key
          WHERE ${and([inBucket(Prisma.sql`${accountId}`, Prisma.sql`= ANY(${[...to]}::text[])`), ...wanted])} ${newest}
        ) AS one
        ORDER BY one.created_at DESC, one.key DESC LIMIT ${take + 1}`
  const shown = [
    ...(to ? [Prisma.sql`r.phone_number = ANY(${[...to]}::text[])`] : []),
    ...(from ? [Prisma.sql`r.sender_number = ANY(${[...from]}::text[])`] : []),
    ...(after?.source === 0 ? [Prisma.sql`(m.key <> ${after.key} OR r.position > ${after.position})`] : []),
  ]
  return Prisma.sql`
    (SELECT ${ofRecipient} FROM (${scan}) AS found JOIN messages m ON m.key = found.key
    JOIN recipients r ON r.message_key = m.key ${ofSim} WHERE ${and(shown)}
    ORDER BY m.created_at DESC, m.key DESC, r.position LIMIT ${take})`
}

/** Sent messages come before received messages of the same time. */
function sentBound({ createdAt, source, key }: RecordPlace): Prisma.Sql {
  return source === 0
    ? Prisma.sql`(m.created_at, m.key) <= (${createdAt}, ${key})`
    : Prisma.sql`m.created_at < ${createdAt}`
}

function receivedRecords(filter: RecordFilter, after: RecordPlace | undefined, take: number): Prisma.Sql {
  const { accountId, to, from } = filter
  const wanted = [
    Prisma.sql`i.account_id = ${accountId} AND i.type IN ${receivedTypes}`,
    ...timeBounds('i.created_at', filter),
    ...(to ? [Prisma.sql`i.recipient = ANY(${[...to]}::text[])`] : []),
    ...(from ? [Prisma.sql`i.sender = ANY(${[...from]}::text[])`] : []),
    ...(after === undefined ? [] : [receivedBound(after)]),
  ]
  return Prisma.sql`
    (SELECT ${ofReceived} FROM inbox i WHERE ${and(wanted)} ORDER BY i.created_at DESC, i.key DESC LIMIT ${take})`
}

function receivedBound({ createdAt, source, key }: RecordPlace): Prisma.Sql {
  return source === 1
    ? Prisma.sql`(i.created_at, i.key) < (${createdAt}, ${key})`
    : Prisma.sql`i.created_at <= ${createdAt}`
}

function timeBounds(column: string, { createdFrom, createdBefore }: RecordFilter): Prisma.Sql[] {
  const time = Prisma.raw(column)
  return [
    ...(createdFrom ? [Prisma.sql`${time} >= ${createdFrom}`] : []),
    ...(createdBefore ? [Prisma.sql`${time} < ${createdBefore}`] : []),
  ]
}

function and(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], ' AND ')
}

/** Finds a record by the 21 characters in its SID. */
export async function findRecord(
  statements: Statements,
  accountId: string,
  id: string,
  { hasSent, hasReceived }: Pick<RecordFilter, 'hasSent' | 'hasReceived'>,
): Promise<MessageRecord | undefined> {
  const [record] = await readRows(
    statements,
    messageRecord,
    Prisma.sql`
    SELECT ${ofRecipient} FROM recipients r JOIN messages m ON m.key = r.message_key ${ofSim}
    WHERE r.cmd_id = ${id} AND r.account_id = ${accountId} AND ${hasSent}
    UNION ALL
    SELECT ${ofReceived} FROM inbox i
    WHERE i.account_id = ${accountId} AND left(i.id, 21) = ${id} AND i.type IN ${receivedTypes} AND ${hasReceived}
    LIMIT 1`,
  )
  return record
}

/** Reads the only recipient of a message that was just accepted. */
export async function readAccepted(
  statements: Statements,
  accountId: string,
  messageId: string,
): Promise<MessageRecord | undefined> {
  const [record] = await readRows(
    statements,
    messageRecord,
    Prisma.sql`
    SELECT ${ofRecipient} FROM messages m JOIN recipients r ON r.message_key = m.key ${ofSim}
    WHERE m.account_id = ${accountId} AND m.id = ${messageId} ORDER BY r.position LIMIT 1`,
  )
  return record
}
