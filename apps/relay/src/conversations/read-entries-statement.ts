import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { firstRows } from '../http/list-rows-statement.ts'
import { bucketOf, bucketsBetween, inBucket, newestBucket } from '../messages/by-number/recipients-of-number.ts'
import { attachmentsColumn, storedMessage } from '../messages/stored-message.ts'
import type { Statements } from '../store/database.ts'
import type { InboxItem } from '../store/generated/client.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { Visibility } from './visibility.ts'

const sentEntry = z.object({
  key: z.bigint(),
  id: z.string(),
  at: z.date(),
  text: z.string().nullable(),
  data: z.instanceof(Uint8Array).nullable(),
  port: z.int().nullable(),
  mms: storedMessage.shape.mms,
  attachments: storedMessage.shape.attachments,
  isHashed: z.boolean(),
  isEncrypted: z.boolean(),
  state: z.enum(messageStates),
  error: z.string().nullable(),
  recipientsCount: z.int(),
  scheduleAt: z.date().nullable(),
  heldUntil: z.date().nullable(),
  simNumber: z.int().nullable(),
  partsCount: z.int().nullable(),
  deviceId: z.string(),
  cmdId: z.string(),
  errorCode: z.string().nullable(),
  isDispatched: z.boolean(),
  requestedSimNumber: z.int().nullable(),
  priority: z.int(),
  possibleDuplicate: z.boolean(),
})

export type SentEntry = Readonly<z.output<typeof sentEntry>>

/** Which messages to read: messages before a position, latest first, or messages from the position on, oldest first. */
export interface PageSide {
  readonly side: 'older' | 'newer'
  readonly take: number
}

/** Reads messages that were sent to a number, before a given message or from it on. Takes no locks. */
export async function readSentEntries(
  statements: Statements,
  { accountId, sent }: Visibility,
  number: string,
  place: bigint,
  { side, take }: PageSide,
): Promise<SentEntry[]> {
  if (!sent) return []
  const beyond = Prisma.raw(side === 'older' ? '<' : '>=')
  const order = Prisma.raw(side === 'older' ? 'DESC' : 'ASC')
  const first = bucketOf(Prisma.sql`${place}::bigint`)
  const buckets =
    side === 'older'
      ? bucketsBetween(Prisma.sql`least(${first}, ${newestBucket})`, Prisma.sql`0`, -1)
      : bucketsBetween(first, newestBucket, 1)
  const entries = Prisma.sql`
    SELECT entry.* FROM ${buckets} CROSS JOIN LATERAL (
      SELECT m.key, m.id, m.created_at AS at, m.text, m.data, m.port, m.mms, ${attachmentsColumn},
        m.content_hash IS NOT NULL AS "isHashed", m.is_encrypted AS "isEncrypted", r.state, r.error,
        (SELECT count(*)::int FROM recipients o WHERE o.message_key = m.key) AS "recipientsCount",
        m.schedule_at AS "scheduleAt", CASE m.approval WHEN 'pending' THEN m.approval_until END AS "heldUntil",
        coalesce(r.used_sim_number, m.sim_number) AS "simNumber", r.parts_count AS "partsCount",
        m.device_id AS "deviceId", r.cmd_id AS "cmdId", r.error_code AS "errorCode",
        r.dispatched_journal IS NOT NULL AS "isDispatched", m.sim_number AS "requestedSimNumber", r.priority,
        r.possible_duplicate AS "possibleDuplicate"
      FROM recipients r JOIN messages m ON m.key = r.message_key
      WHERE ${inBucket(Prisma.sql`${accountId}`, Prisma.sql`= ${number}`)} AND r.message_key ${beyond} ${place}
      ORDER BY r.message_key ${order} LIMIT ${take}
    ) AS entry
    ORDER BY bucket.place, entry.key ${order}`
  return await readRows(statements, sentEntry, firstRows(entries, take))
}

export type ReceivedEntry = InboxItem

export interface ReceivedPlace {
  readonly at: Date
  readonly key: bigint
}

/** Reads messages that were received from a number, before a given position or from it on. */
export async function readReceivedEntries(
  statements: Statements,
  { accountId, received }: Visibility,
  sender: string,
  { at, key }: ReceivedPlace,
  { side, take }: PageSide,
): Promise<ReceivedEntry[]> {
  if (!received) return []
  const isOlder = side === 'older'
  const bounds = isOlder
    ? { createdAt: { lte: at }, OR: [{ createdAt: { lt: at } }, { key: { lt: key } }] }
    : { createdAt: { gte: at }, OR: [{ createdAt: { gt: at } }, { key: { gte: key } }] }
  const order = isOlder ? 'desc' : 'asc'
  return await statements.inboxItem.findMany({
    where: { accountId, sender, ...bounds },
    orderBy: [{ createdAt: order }, { key: order }],
    take,
  })
}
