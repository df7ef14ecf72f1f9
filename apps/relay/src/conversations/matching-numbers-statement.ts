import type { Statements } from '../store/database.ts'
import { latestMessages } from './latest-messages.ts'
import type { Sights } from './sights.ts'

/** Texts are looked into so far back, in each direction. */
const TEXTS = 100_000
const MOST_NUMBERS = 20_000
const NOW_AND_LATER = new Date('9999-12-31T00:00:00Z')

/** Numbers that hold what is looked for, or with which it was said. */
export async function readMatchingNumbers(statements: Statements, sights: Sights, search: string): Promise<string[]> {
  const { accountId, sent, received } = sights
  const text = search.toLowerCase()
  const number = /^\+?[\d\s()./-]+$/.test(text) ? text.replace(/[^+\d]/g, '') : text
  const rows = await statements.$queryRaw<{ number: string }[]>`
    SELECT phone_number AS number FROM recipients
    WHERE ${sent} AND account_id = ${accountId} AND strpos(lower(phone_number), ${number}) > 0
    UNION
    SELECT sender FROM inbox
    WHERE ${received} AND account_id = ${accountId} AND strpos(lower(sender), ${number}) > 0
    UNION
    SELECT r.phone_number
    FROM (${latestMessages(sights, NOW_AND_LATER, TEXTS)}) AS late
      JOIN messages m ON m.key = late.key
      JOIN recipients r ON r.message_key = m.key
    WHERE strpos(lower(m.text), ${text}) > 0 AND NOT m.is_encrypted
    UNION
    SELECT sender
    FROM (SELECT sender, text FROM inbox WHERE ${received} AND account_id = ${accountId}
      ORDER BY created_at DESC, key DESC LIMIT ${TEXTS}) AS i
    WHERE strpos(lower(i.text), ${text}) > 0
    LIMIT ${MOST_NUMBERS}`
  return rows.map(({ number }) => number)
}
