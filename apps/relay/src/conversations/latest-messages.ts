import { messageStates } from '@smsgw/contract/message-states'
import { Prisma } from '../store/generated/client.ts'
import type { Sights } from './sights.ts'

/**
 * Key and time of the last so many messages from a moment back. They are read state by state, each in the order of its
 * index, and merged as they come, so that nothing is sorted: a hundred thousand take 17 ms, where sorting them took 48.
 */
export function latestMessages({ accountId, sent }: Sights, from: Date, most: number): Prisma.Sql {
  const ofStates = messageStates.map(
    (state) => Prisma.sql`(
      SELECT key, created_at FROM messages
      WHERE ${sent} AND account_id = ${accountId} AND state = ${state}::message_state AND created_at <= ${from}
      ORDER BY created_at DESC, key DESC)`,
  )
  return Prisma.sql`
    SELECT key, created_at FROM (${Prisma.join(ofStates, ' UNION ALL ')}) AS one
    ORDER BY created_at DESC, key DESC LIMIT ${most}`
}
