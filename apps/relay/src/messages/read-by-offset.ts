import type { Statements } from '../store/database.ts'
import { skipDays } from './counts/skip-days-statement.ts'
import {
  countFilterOf,
  type Direction,
  type HistoryFilter,
  type PartOfHistory,
  readHistory,
} from './read-history-statement.ts'
import type { StoredMessage } from './stored-message.ts'

/** Below this offset, it is faster to read and skip the messages than to read the counts of the days. */
const LEAST_OFFSET = 2_000
const DAY_MS = 86_400_000

/**
 * Reads a page like `readHistory`. If the offset is large, first uses the counts of the days to find the day on which
 * the page begins. So only messages of this day have to be skipped one by one.
 */
export async function readByOffset(
  statements: Statements,
  filter: HistoryFilter,
  direction: Direction,
  part: PartOfHistory,
  leastOffset = LEAST_OFFSET,
): Promise<StoredMessage[]> {
  const counted = countFilterOf(filter)
  // Does not use the counts for a part of a day, because counts exist only for whole days.
  const beginsWithinDay = direction === 'DESC' ? filter.to !== undefined : filter.from !== undefined
  if (part.skip < leastOffset || counted === undefined || beginsWithinDay)
    return await readHistory(statements, filter, direction, part)
  const skipped = await skipDays(statements, counted, direction, part.skip)
  if (skipped === undefined) return await readHistory(statements, filter, direction, part)
  const begin =
    direction === 'DESC' ? { to: new Date(skipped.day.getTime() + DAY_MS) } : { from: new Date(skipped.day) }
  return await readHistory(statements, { ...filter, ...begin }, direction, {
    ...part,
    skip: part.skip - skipped.before,
  })
}
