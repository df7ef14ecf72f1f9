// The latest conversations without a table of conversations, which every message that is accepted would have to pay for.
// Mostly the last two hundred messages hold a page of numbers. Where they do not, since one number has most of them:
// every number, if they are few; else further back.
import type { Database } from '../store/database.ts'
import { readEveryNumber } from './every-number-statement.ts'
import { readLatestEntries, type Span, type StoredConversation } from './latest-entries-statement.ts'
import type { Sights } from './sights.ts'
import { walkBack } from './walk-back-statement.ts'

const PATIENCE = { firstSteps: [200, 5_000], fewNumbers: 20_000, lastSteps: [100_000, 2_000_000] }

export interface FindOptions {
  readonly before: Span['before'] | undefined
  /** Of these numbers alone. */
  readonly among: readonly string[] | undefined
  readonly take: number
}

/** Newest first. */
export async function findConversations(
  database: Database,
  sights: Sights,
  { before = AFTER_ALL, among, take }: FindOptions,
  { firstSteps, fewNumbers, lastSteps } = PATIENCE,
): Promise<StoredConversation[]> {
  const latestOf = (numbers: readonly string[], after?: Date) =>
    readLatestEntries(database, sights, numbers, { after, before }, take)
  const withinSteps = async (steps: number) => {
    const { numbers, floor } = await walkBack(database, sights, before.at, steps)
    const found = await latestOf(numbers, floor)
    return { found, isAll: floor === undefined || found.length >= take }
  }
  if (among !== undefined) return await latestOf(among)
  for (const steps of firstSteps) {
    const { found, isAll } = await withinSteps(steps)
    if (isAll) return found
  }
  const numbers = await readEveryNumber(database, sights, fewNumbers)
  if (numbers.length < fewNumbers) return await latestOf(numbers)
  let latest: StoredConversation[] = []
  for (const steps of lastSteps) {
    const { found, isAll } = await withinSteps(steps)
    latest = found
    if (isAll) break
  }
  return latest
}

const AFTER_ALL = { at: new Date('9999-12-31T00:00:00Z'), number: '' }
