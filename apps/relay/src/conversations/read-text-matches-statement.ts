import { z } from 'zod'
import {
  type ConversationFilter,
  conditionOf,
  joinStates,
  type NumberTerm,
  numberCondition,
} from '../shared-inbox/conversation-filter.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { Span } from './read-latest-entries-statement.ts'
import { latestMessages } from './read-recent-numbers-statement.ts'
import type { Visibility } from './visibility.ts'

/** The latest message of a conversation that contains the search text, among the searched messages. */
export interface TextMatch {
  readonly number: string
  readonly at: Date
  readonly messageId: string
}

interface TextMatches {
  /** Newest first. */
  readonly matches: readonly TextMatch[]
  /** All messages from this time on were searched. Null if all messages of any time were searched. */
  readonly since: Date | null
}

interface TextSearch {
  /** In lower case. */
  readonly text: string
  /** Conversations whose number contains this text are left out, because the search lists them first. */
  readonly number: NumberTerm
  readonly filter: ConversationFilter
  /** Finds only messages before this position. */
  readonly before: Span['before']
  /**
   * The number of messages of each direction that are searched. All messages of one millisecond are searched together.
   */
  readonly messages: number
  readonly take: number
}

/**
 * Reads the last messages before a position that contain the search text, and returns their conversations. Takes no
 * locks.
 */
export async function readTextMatches(
  statements: Statements,
  visibility: Visibility,
  { text, number, filter, before, messages, take }: TextSearch,
): Promise<TextMatches> {
  const { accountId, received } = visibility
  // A position without a number comes before all messages of its millisecond.
  const from = before.number === '' ? new Date(before.at.getTime() - 1) : before.at
  const rows = await readRows(
    statements,
    matchRow,
    Prisma.sql`
    WITH sent AS MATERIALIZED (
      ${latestMessages(visibility, from, messages, { withTies: true })}
    ), received AS MATERIALIZED (
      SELECT key, created_at, id, sender, text, is_encrypted FROM inbox
      WHERE ${received} AND account_id = ${accountId} AND created_at <= ${from}
      ORDER BY created_at DESC FETCH FIRST ${messages} ROWS WITH TIES
    ), searched AS MATERIALIZED (
      SELECT greatest(
        (SELECT min(created_at) FROM sent HAVING count(*) >= ${messages}),
        (SELECT min(created_at) FROM received HAVING count(*) >= ${messages})) AS since
    ), found AS (
      SELECT r.phone_number AS number, m.created_at AS at, m.id
      FROM sent JOIN messages m ON m.key = sent.key JOIN recipients r ON r.message_key = m.key
      WHERE strpos(lower(m.text), ${text}) > 0 AND NOT m.is_encrypted
      UNION ALL
      SELECT sender, created_at, id FROM received WHERE strpos(lower(text), ${text}) > 0 AND NOT is_encrypted
    ), latest AS (
      SELECT DISTINCT ON (number) number, at, id FROM found
      WHERE at >= coalesce((SELECT since FROM searched), '-infinity')
        AND (at, number COLLATE "C") < (${before.at}, ${before.number}::text COLLATE "C")
      ORDER BY number, at DESC
    )
    SELECT one.number, one.at, one.id, searched.since
    FROM searched LEFT JOIN (
      SELECT given.number, given.at, given.id FROM latest AS given ${joinStates(accountId)}
      WHERE ${conditionOf(accountId, filter) ?? Prisma.sql`true`} AND NOT ${numberCondition(accountId, number)}
      ORDER BY given.at DESC, given.number COLLATE "C" DESC LIMIT ${take}
    ) AS one ON true
    ORDER BY one.at DESC, one.number COLLATE "C" DESC`,
  )
  return {
    matches: rows.flatMap(({ number, at, id }) =>
      number === null || at === null || id === null ? [] : [{ number, at, messageId: id }],
    ),
    since: rows[0]?.since ?? null,
  }
}

/** If nothing is found, the result is a single row without a number. */
const matchRow = z.object({
  number: z.string().nullable(),
  at: z.date().nullable(),
  id: z.string().nullable(),
  since: z.date().nullable(),
})
