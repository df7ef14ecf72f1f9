import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { latestMessages } from './latest-messages.ts'
import type { Sights } from './sights.ts'

const MOST_NUMBERS = 20_000
const NOW_AND_LATER = new Date('9999-12-31T00:00:00Z')

export interface Matching {
  readonly numbers: readonly string[]
  /** What was said before was not looked into; null: there is nothing before. */
  readonly since: Date | null
}

/** How one may write part of a number, and of nothing else. */
const WRITTEN_NUMBER = /^\+?[\d\s()./-]+$/

/** Search terms in the form in which they are compared: a text in lower case; part of a number as it is stored. */
export function searchTerms(search: string): { readonly text: string; readonly number: string } {
  const text = search.toLowerCase()
  return { text, number: WRITTEN_NUMBER.test(text) ? text.replace(/[^+\d]/g, '') : text }
}

/**
 * Numbers with which something was said that holds what is looked for, among the last so many messages in each direction;
 * with `isNumber`, which costs as much again, numbers of theirs too that hold it.
 */
export async function readMatchingNumbers(
  statements: Statements,
  sights: Sights,
  search: string,
  { messages, isNumber }: { readonly messages: number; readonly isNumber: boolean },
): Promise<Matching> {
  const { accountId, received } = sights
  const { text, number } = searchTerms(search)
  const orHeld = (column: Prisma.Sql) =>
    isNumber ? Prisma.sql`OR strpos(lower(${column}), ${number}) > 0` : Prisma.empty
  const [row] = await statements.$queryRaw<[Matching]>`
    WITH late AS MATERIALIZED (
      ${latestMessages(sights, NOW_AND_LATER, messages + 1)}
    ), found AS (
      SELECT r.phone_number AS number
      FROM late JOIN messages m ON m.key = late.key JOIN recipients r ON r.message_key = m.key
      WHERE (strpos(lower(m.text), ${text}) > 0 AND NOT m.is_encrypted) ${orHeld(Prisma.sql`r.phone_number`)}
      UNION
      SELECT sender
      FROM (SELECT sender, text FROM inbox WHERE ${received} AND account_id = ${accountId}
        ORDER BY created_at DESC, key DESC LIMIT ${messages}) AS i
      WHERE strpos(lower(i.text), ${text}) > 0 ${orHeld(Prisma.sql`i.sender`)}
      LIMIT ${MOST_NUMBERS}
    )
    SELECT coalesce((SELECT array_agg(number) FROM found), '{}') AS numbers, greatest(
      (SELECT min(created_at) FROM late HAVING count(*) > ${messages}),
      (SELECT created_at FROM inbox WHERE ${received} AND account_id = ${accountId}
        ORDER BY created_at DESC, key DESC OFFSET ${messages} LIMIT 1)
    ) AS since`
  return row
}
