// Finds the latest conversations in the order that a job maintains. Searches the messages instead if the caller may
// read only one direction, or while older messages are still being added to the order. Usually, the last 200 messages
// contain enough numbers for a page. Otherwise, more messages are searched, and then all numbers of the account are
// read, from the order and from the messages that are not in it yet. If there are too many of them, even more messages
// are searched.
import { findInOrder } from '../conversation-order/find-in-order.ts'
import { readEveryNumber } from '../conversation-order/read-every-number-statement.ts'
import type { ConversationFilter } from '../shared-inbox/conversation-filter.ts'
import { readFilteredNumbers } from '../shared-inbox/read-filtered-numbers-statement.ts'
import type { Statements } from '../store/database.ts'
import { readLatestEntries, type Span, type StoredConversation } from './read-latest-entries-statement.ts'
import { readRecentNumbers } from './read-recent-numbers-statement.ts'
import type { Visibility } from './visibility.ts'

const LIMITS = { firstSteps: [200, 5_000], fewNumbers: 20_000, mostUnordered: 100_000, lastSteps: [100_000, 2_000_000] }

export interface FindOptions {
  readonly before: Span['before'] | undefined
  /** Only conversations with these numbers. */
  readonly among: readonly string[] | undefined
  readonly filter?: ConversationFilter
  readonly take: number
}

/**
 * Returns conversations, newest first.
 * @param searching the limits with which the messages are searched
 */
export async function findConversations(
  statements: Statements,
  visibility: Visibility,
  { before = AFTER_ALL, among, filter = {}, take }: FindOptions,
  searching?: typeof LIMITS,
): Promise<StoredConversation[]> {
  const latestOf = (numbers: readonly string[], after?: Date) =>
    readLatestEntries(statements, visibility, numbers, { after, before }, take, filter)
  const withinSteps = async (steps: number) => {
    const { numbers, floor } = await readRecentNumbers(statements, visibility, before.at, steps, filter)
    const found = await latestOf(numbers, floor)
    return { found, isAll: floor === undefined || found.length >= take }
  }
  if (among !== undefined) return await latestOf(among)
  if (searching === undefined) {
    const found = await findInOrder(statements, visibility, { before, filter, take })
    if (found !== undefined) return found
  }
  const { firstSteps, fewNumbers, mostUnordered, lastSteps } = searching ?? LIMITS
  const selected = await readFilteredNumbers(statements, visibility.accountId, filter, FEW_SELECTED + 1)
  if (selected !== undefined && selected.length <= FEW_SELECTED) return await latestOf(selected)
  for (const steps of firstSteps) {
    const { found, isAll } = await withinSteps(steps)
    if (isAll) return found
  }
  const numbers = await readEveryNumber(statements, visibility.accountId, { most: fewNumbers, mostUnordered })
  if (numbers !== undefined) return await latestOf(numbers)
  let latest: StoredConversation[] = []
  for (const steps of lastSteps) {
    const { found, isAll } = await withinSteps(steps)
    latest = found
    if (isAll) break
  }
  return latest
}

/** The last messages of 2 000 phone numbers are read about as fast as the last 5 000 messages of the account. */
const FEW_SELECTED = 2_000

const AFTER_ALL = { at: new Date('9999-12-31T00:00:00Z'), number: '' }
