import { messageStates } from '@smsgw/contract/message-states'
import { Prisma } from '../store/generated/client.ts'
import type { Sights } from './sights.ts'

/**
 * Key and time of the last so many messages from a moment back. They are read state by state, each in the order of its
 * index, and merged, as the history is (see `readHistory`).
 */
export function latestMessages({ accountId, sent }: Sights, from: Date, most: number): Prisma.Sql {
  return Prisma.sql`
    SELECT one.key, one.created_at
    FROM unnest(${[...messageStates]}::message_state[]) AS wanted (state) CROSS JOIN LATERAL (
      SELECT key, created_at FROM messages
      WHERE ${sent} AND account_id = ${accountId} AND state = wanted.state AND created_at <= ${from}
      ORDER BY created_at DESC, key DESC LIMIT ${most}
    ) AS one
    ORDER BY one.created_at DESC, one.key DESC LIMIT ${most}`
}
