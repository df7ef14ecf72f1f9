import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { endsWithReceived, newBuckets } from '../conversation-order/ends-with-received.ts'
import { lastToNumber } from '../messages/by-number/recipients-of-number.ts'
import { type ConversationFilter, conditionOf, joinStates } from '../shared-inbox/conversation-filter.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { Visibility } from './visibility.ts'

const storedConversation = z.object({
  number: z.string(),
  at: z.date(),
  direction: z.enum(['in', 'out']),
  id: z.string(),
  state: z.enum(messageStates).nullable(),
  /** The first characters of the text. */
  text: z.string().nullable(),
  octets: z.int().nullable(),
  port: z.int().nullable(),
  type: z.string().nullable(),
  subject: z.string().nullable(),
  isEncrypted: z.boolean(),
  isHashed: z.boolean(),
})

/** A conversation with its last message. */
export type StoredConversation = Readonly<z.output<typeof storedConversation>>

/**
 * The period of conversations: later than `after` and earlier than `before.at`. At the time `before.at` itself, it
 * includes only the numbers that come before `before.number`.
 */
export interface Span {
  readonly after: Date | undefined
  readonly before: { readonly at: Date; readonly number: string }
}

/**
 * Reads the latest conversations with these numbers, newest first. Costs two index look-ups per number that the filter
 * selects, and more for numbers without recent messages. Takes no locks.
 */
export async function readLatestEntries(
  statements: Statements,
  { accountId, sent, received }: Visibility,
  numbers: readonly string[],
  { after = BEGINNING, before }: Span,
  take: number,
  filter: ConversationFilter = {},
): Promise<StoredConversation[]> {
  const condition = conditionOf(accountId, filter)
  const selected =
    condition === undefined
      ? Prisma.sql`SELECT number FROM unnest(${numbers}::text[]) AS given (number)`
      : Prisma.sql`
        SELECT given.number FROM unnest(${numbers}::text[]) AS given (number) ${joinStates(accountId)} WHERE ${condition}`
  const lastSent = lastToNumber({
    columns: SENT_COLUMNS,
    accountId: Prisma.sql`${accountId}`,
    number: Prisma.sql`placed.number`,
    condition: Prisma.sql`${sent}`,
    buckets: Prisma.sql`(${newBuckets(LAST_ORDERED)} OR NOT placed.is_received)`,
  })
  return await readRows(
    statements,
    storedConversation,
    Prisma.sql`
    WITH given AS (${selected}), placed AS MATERIALIZED (
      SELECT number, ${received} AND ${endsWithReceived(Prisma.sql`${accountId}`, Prisma.sql`given.number`)} AS is_received
      FROM given
    )
    SELECT placed.number, latest.*
    FROM placed CROSS JOIN LATERAL (
      SELECT * FROM (
        (${lastSent})
        UNION ALL
        (SELECT 'in', id, created_at, NULL, left(text, 160), octet_length(data), port, type, mms->>'subject', is_encrypted, false
          FROM inbox
          WHERE ${received} AND account_id = ${accountId} AND sender = placed.number
          ORDER BY created_at DESC, key DESC LIMIT 1)
      ) AS one ORDER BY at DESC LIMIT 1
    ) AS latest
    WHERE latest.at > ${after} AND (latest.at, placed.number COLLATE "C") < (${before.at}, ${before.number}::text COLLATE "C")
    ORDER BY latest.at DESC, placed.number COLLATE "C" DESC
    LIMIT ${take}`,
  )
}

const SENT_COLUMNS = Prisma.sql`'out' AS direction, m.id, m.created_at AS at, r.state::text, left(m.text, 160) AS text,
  octet_length(m.data) AS octets, m.port, CASE WHEN m.mms IS NOT NULL THEN 'MMS' END AS type,
  m.mms ->> 'subject' AS subject, m.is_encrypted AS "isEncrypted", m.content_hash IS NOT NULL AS "isHashed"`

const LAST_ORDERED = Prisma.sql`(SELECT coalesce(max(sent_key), 0) FROM conversation_order_progress)`

const BEGINNING = new Date('0001-01-01T00:00:00Z')
