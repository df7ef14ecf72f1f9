import { readLatestEntries, type StoredConversation } from '../conversations/read-latest-entries-statement.ts'
import type { Visibility } from '../conversations/visibility.ts'
import type { ConversationFilter } from '../shared-inbox/conversation-filter.ts'
import type { Statements } from '../store/database.ts'
import { type OrderPlace, readOrder, readUnordered } from './read-order-statement.ts'

/**
 * If there are more new messages than this since the last run of the job, lists do not use the order. This happens
 * while the job is adding the existing messages of a database.
 */
const MOST_UNORDERED = 5_000

/**
 * Returns a page of conversations, newest first, or undefined if the order of conversations cannot be used. Reads the
 * last messages of the conversations of the page again, so that the page is correct even between two runs of the job.
 */
export async function findInOrder(
  statements: Statements,
  visibility: Visibility,
  { before, filter, take }: { readonly before: OrderPlace; readonly filter: ConversationFilter; readonly take: number },
): Promise<StoredConversation[] | undefined> {
  // Conversations are ordered by their last message of either direction.
  if (!visibility.sent || !visibility.received) return undefined
  const unordered = await readUnordered(statements, visibility.accountId, MOST_UNORDERED)
  if (unordered.count > MOST_UNORDERED) return undefined
  const found: StoredConversation[] = []
  for (let start = before; found.length < take; ) {
    const places = await readOrder(statements, visibility.accountId, filter, start, take)
    const end = places.length < take ? undefined : places.at(-1)
    const numbers = [...new Set([...unordered.numbers, ...places.map(({ number }) => number)])]
    const span = { after: end && new Date(end.at.getTime() - 1), before: start }
    const latest = await readLatestEntries(statements, visibility, numbers, span, take, filter)
    found.push(...latest.filter((one) => end === undefined || !isBefore(one, end)))
    if (end === undefined) break
    start = end
  }
  return found.slice(0, take)
}

/** Compares in the same way as the database: by time, then by the bytes of the number. */
function isBefore(one: OrderPlace, other: OrderPlace): boolean {
  if (one.at.getTime() !== other.at.getTime()) return one.at < other.at
  return Buffer.compare(Buffer.from(one.number), Buffer.from(other.number)) < 0
}
