import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'
import { latestMessages } from './read-recent-numbers-statement.ts'
import type { Visibility } from './visibility.ts'

const MOST_NUMBERS = 20_000
const NOW_AND_LATER = new Date('9999-12-31T00:00:00Z')

const matching = z.object({
  numbers: z.array(z.string()).readonly(),
  /** For each number, the latest message whose text contains the search text. Empty if only the number contains it. */
  messageIds: z.array(z.string()).readonly(),
  /** Messages before this time were not searched. Null when all messages were searched. */
  since: z.date().nullable(),
})

export type Matching = Readonly<z.output<typeof matching>>

/** Matches a text that can only be part of a number. */
const WRITTEN_NUMBER = /^\+?[\d\s()./-]+$/

/** Normalises search terms: text in lower case, and a number without its punctuation. */
export function searchTerms(search: string): { readonly text: string; readonly number: string } {
  const text = search.toLowerCase()
  return { text, number: WRITTEN_NUMBER.test(text) ? text.replace(/[^+\d]/g, '') : text }
}

/**
 * Returns the numbers whose messages contain the search text, among the last messages of each direction, and the ids of these
 * messages. With
 * `isNumber`, at twice the cost, also returns the numbers of these messages that contain the search text. Takes no
 * locks.
 */
export async function readMatchingNumbers(
  statements: Statements,
  visibility: Visibility,
  search: string,
  { messages, isNumber }: { readonly messages: number; readonly isNumber: boolean },
): Promise<Matching> {
  const { accountId, received } = visibility
  const { text, number } = searchTerms(search)
  const orHeld = (column: Prisma.Sql) =>
    isNumber ? Prisma.sql`OR strpos(lower(${column}), ${number}) > 0` : Prisma.empty
  return await readRow(
    statements,
    matching,
    Prisma.sql`
    WITH late AS MATERIALIZED (
      ${latestMessages(visibility, NOW_AND_LATER, messages + 1)}
    ), found AS (
      SELECT r.phone_number AS number, m.created_at AS at,
        CASE WHEN strpos(lower(m.text), ${text}) > 0 AND NOT m.is_encrypted THEN m.id END AS id
      FROM late JOIN messages m ON m.key = late.key JOIN recipients r ON r.message_key = m.key
      WHERE (strpos(lower(m.text), ${text}) > 0 AND NOT m.is_encrypted) ${orHeld(Prisma.sql`r.phone_number`)}
      UNION ALL
      SELECT sender, created_at, CASE WHEN strpos(lower(i.text), ${text}) > 0 THEN id END
      FROM (SELECT sender, created_at, id, text FROM inbox WHERE ${received} AND account_id = ${accountId}
        ORDER BY created_at DESC, key DESC LIMIT ${messages}) AS i
      WHERE strpos(lower(i.text), ${text}) > 0 ${orHeld(Prisma.sql`i.sender`)}
    ), latest AS (
      SELECT DISTINCT ON (number) number, id FROM found ORDER BY number, id IS NULL, at DESC LIMIT ${MOST_NUMBERS}
    )
    SELECT coalesce((SELECT array_agg(number ORDER BY number) FROM latest), '{}') AS numbers,
      coalesce((SELECT array_agg(coalesce(id, '') ORDER BY number) FROM latest), '{}') AS "messageIds", greatest(
      (SELECT min(created_at) FROM late HAVING count(*) > ${messages}),
      (SELECT created_at FROM inbox WHERE ${received} AND account_id = ${accountId}
        ORDER BY created_at DESC, key DESC OFFSET ${messages} LIMIT 1)
    ) AS since`,
  )
}
