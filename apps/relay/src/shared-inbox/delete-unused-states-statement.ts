import { z } from 'zod'
import { lastToNumber } from '../messages/by-number/recipients-of-number.ts'
import type { Database, Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/** Few enough for a statement of 30 seconds that searches thousands of buckets for each number. */
const BATCH = 100

/**
 * Deletes labels, notes, assignee and archiving of conversations that have no messages left, for all accounts, because
 * they are data about a person. A blocked number stays blocked, because the block must also apply to later messages.
 * Returns the number of conversations.
 */
export async function deleteUnusedStates(database: Database): Promise<number> {
  let total = 0
  for (let last: Place | undefined = { accountId: '', number: '' }; last !== undefined; ) {
    const unused = await readPage(database, last)
    total += unused.filter(({ isUsed }) => !isUsed).length
    await deletePage(database, unused)
    last = unused.length < BATCH ? undefined : unused.at(-1)
  }
  return total
}

interface Place {
  readonly accountId: string
  readonly number: string
}

/** Reads conversations in the order of the primary key, each with a few index look-ups. Takes no locks. */
async function readPage(statements: Statements, after: Place): Promise<(Place & { isUsed: boolean })[]> {
  return await readRows(
    statements,
    placeRow,
    Prisma.sql`
    SELECT s.account_id AS "accountId", s.number,
      EXISTS (SELECT FROM inbox i WHERE i.account_id = s.account_id AND i.sender = s.number)
      OR EXISTS (${LAST_SENT}) AS "isUsed"
    FROM conversation_states s
    WHERE (s.account_id, s.number) > (${after.accountId}, ${after.number})
    ORDER BY s.account_id, s.number LIMIT ${BATCH}`,
  )
}

const LAST_SENT = lastToNumber({
  columns: Prisma.sql`m.key`,
  accountId: Prisma.sql`s.account_id`,
  number: Prisma.sql`s.number`,
})

const placeRow = z.object({ accountId: z.string(), number: z.string(), isUsed: z.boolean() })

/** Locks the rows of unused conversations, for a short time. */
async function deletePage(database: Database, page: readonly (Place & { isUsed: boolean })[]): Promise<void> {
  const unused = page.filter(({ isUsed }) => !isUsed)
  if (unused.length === 0) return
  const accounts = unused.map(({ accountId }) => accountId)
  const numbers = unused.map(({ number }) => number)
  const among = Prisma.sql`(account_id, number) IN (SELECT * FROM unnest(${accounts}::text[], ${numbers}::text[]))`
  await database.$transaction(async (statements) => {
    await statements.$executeRaw`DELETE FROM conversation_states WHERE ${among} AND blocked_at IS NULL`
    await statements.$executeRaw`DELETE FROM conversation_labels WHERE ${among}`
    await statements.$executeRaw`DELETE FROM conversation_notes WHERE ${among}`
    await statements.$executeRaw`
      UPDATE conversation_states SET assignee = NULL, archived_at = NULL
      WHERE ${among} AND (assignee IS NOT NULL OR archived_at IS NOT NULL)`
  })
}
