import { messageStates } from '@smsgw/contract/message-states'
import { z } from 'zod'
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
  isHashed: z.boolean(),
  isEncrypted: z.boolean(),
  state: z.enum(messageStates),
  error: z.string().nullable(),
  recipientsCount: z.int(),
  scheduleAt: z.date().nullable(),
  simNumber: z.int().nullable(),
  partsCount: z.int().nullable(),
  deviceId: z.string(),
  cmdId: z.string(),
  errorCode: z.string().nullable(),
  isDispatched: z.boolean(),
  requestedSimNumber: z.int().nullable(),
  priority: z.int(),
  possibleDuplicate: z.boolean(),
  processedAt: z.date().nullable(),
})

export type SentEntry = Readonly<z.output<typeof sentEntry>>

/** Reads messages sent to a number before a given message, latest first. Takes no locks. */
export async function readSentEntries(
  statements: Statements,
  { accountId, sent }: Visibility,
  number: string,
  before: bigint,
  take: number,
): Promise<SentEntry[]> {
  if (!sent) return []
  return await readRows(
    statements,
    sentEntry,
    Prisma.sql`
    SELECT m.key, m.id, m.created_at AS at, m.text, m.data, m.port, m.content_hash IS NOT NULL AS "isHashed",
      m.is_encrypted AS "isEncrypted", r.state, r.error,
      (SELECT count(*)::int FROM recipients o WHERE o.message_key = m.key) AS "recipientsCount",
      m.schedule_at AS "scheduleAt", coalesce(r.used_sim_number, m.sim_number) AS "simNumber",
      r.parts_count AS "partsCount", m.device_id AS "deviceId", r.cmd_id AS "cmdId", r.error_code AS "errorCode",
      r.dispatched_journal IS NOT NULL AS "isDispatched", m.sim_number AS "requestedSimNumber",
      r.priority, r.possible_duplicate AS "possibleDuplicate", r.processed_at AS "processedAt"
    FROM recipients r JOIN messages m ON m.key = r.message_key
    WHERE r.account_id = ${accountId} AND r.phone_number = ${number} AND r.message_key < ${before}
    ORDER BY r.message_key DESC LIMIT ${take}`,
  )
}

export type ReceivedEntry = InboxItem

export interface ReceivedPlace {
  readonly at: Date
  readonly key: bigint
}

/** Reads messages received from a number before a given time, latest first. */
export async function readReceivedEntries(
  statements: Statements,
  { accountId, received }: Visibility,
  sender: string,
  { at, key }: ReceivedPlace,
  take: number,
): Promise<ReceivedEntry[]> {
  if (!received) return []
  return await statements.inboxItem.findMany({
    where: { accountId, sender, createdAt: { lte: at }, OR: [{ createdAt: { lt: at } }, { key: { lt: key } }] },
    orderBy: [{ createdAt: 'desc' }, { key: 'desc' }],
    take,
  })
}
