import { z } from 'zod'
import { usageDay } from '../../auth/keys/key-answer.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { NewMessage } from './accept-messages.ts'

/** Returns a text that identifies the row in which the recipients of a message are counted: the API key and the day. */
export function usageRow({ sentBy, createdAt }: Pick<NewMessage, 'sentBy' | 'createdAt'>): string {
  return `${sentBy.keyId} ${usageDay(createdAt).toISOString().slice(0, 10)}`
}

/**
 * Locks the usage of the keys of these messages until the end of the transaction, and returns a map from `usageRow` to
 * the number of recipients. The rows are created and locked in the order of key and day, so that two transactions
 * cannot deadlock. Keys that no longer exist are missing in the result.
 */
export async function lockUsage(
  statements: Statements,
  messages: readonly Pick<NewMessage, 'sentBy' | 'createdAt'>[],
): Promise<Map<string, number>> {
  const wanted = [...new Set(messages.map(usageRow))].sort()
  const rows = await readRows(
    statements,
    countRow,
    Prisma.sql`
    WITH wanted AS MATERIALIZED (
      SELECT split_part(name, ' ', 1) AS key_id, split_part(name, ' ', 2)::date AS day
        FROM unnest(${wanted}::text[]) AS name
    )
    INSERT INTO api_key_usage AS u (key_id, day, recipients)
    SELECT wanted.key_id, wanted.day, 0 FROM wanted JOIN api_keys k ON k.id = wanted.key_id
     ORDER BY wanted.key_id, wanted.day
    ON CONFLICT (key_id, day) DO UPDATE SET recipients = u.recipients
    RETURNING key_id || ' ' || day AS name, recipients`,
  )
  return new Map(rows.map(({ name, recipients }) => [name, recipients]))
}

/** Writes the usage that changed. `lockUsage` has locked the rows. */
export async function addUsage(
  statements: Statements,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Promise<void> {
  const changed = [...after].filter(([name, recipients]) => recipients !== before.get(name))
  if (changed.length === 0) return
  await statements.$executeRaw`
    UPDATE api_key_usage u SET recipients = changed.recipients
      FROM unnest(${changed.map(([name]) => name)}::text[], ${changed.map(([, recipients]) => recipients)}::int[])
             AS changed (name, recipients)
     WHERE u.key_id = split_part(changed.name, ' ', 1) AND u.day = split_part(changed.name, ' ', 2)::date`
}

const countRow = z.object({ name: z.string(), recipients: z.int() })
