import type { Statements } from '../store/database.ts'
import { skipDays } from './counts/skip-days-statement.ts'
import {
  countFilterOf,
  countHistory,
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
 * the page begins. So only messages of this day have to be skipped one by one. If the list begins within a day, the
 * messages of this day are first counted one by one in an index, because counts exist only for whole days.
 */
export async function readByOffset(
  statements: Statements,
  filter: HistoryFilter,
  direction: Direction,
  part: PartOfHistory,
  leastOffset = LEAST_OFFSET,
): Promise<StoredMessage[]> {
  const counted = countFilterOf(filter)
  if (part.skip < leastOffset || counted === undefined) return await readHistory(statements, filter, direction, part)
  const { edge, rest } = splitAtDay(filter, direction)
  const atEdge = edge && (await countHistory(statements, { ...filter, ...edge }, part.skip))
  // The page begins on the same day as the list.
  if (atEdge?.isExact === false) return await readHistory(statements, filter, direction, part)
  const skip = part.skip - (atEdge?.count ?? 0)
  const skipped = await skipDays(statements, { ...counted, ...rest }, direction, skip)
  if (skipped === undefined) return await readHistory(statements, { ...filter, ...rest }, direction, { ...part, skip })
  const begin =
    direction === 'DESC' ? { to: new Date(skipped.day.getTime() + DAY_MS) } : { from: new Date(skipped.day) }
  return await readHistory(statements, { ...filter, ...begin }, direction, { ...part, skip: skip - skipped.before })
}

type Period = Pick<HistoryFilter, 'from' | 'to'>

/**
 * Splits the period of a list into its `edge`, which is the part of a day in which the list begins, and the `rest`,
 * which begins with a whole day. There is no edge if the list begins at midnight, or with the first or last message.
 */
function splitAtDay(
  { from, to }: HistoryFilter,
  direction: Direction,
): { readonly edge?: Period; readonly rest: Period } {
  if (direction === 'DESC') {
    const midnight = to && new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS)
    if (midnight === undefined || midnight.getTime() === to?.getTime()) return { rest: { from, to } }
    return { edge: { from: from && from > midnight ? from : midnight, to }, rest: { from, to: midnight } }
  }
  const midnight = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS)
  if (midnight === undefined || midnight.getTime() === from?.getTime()) return { rest: { from, to } }
  return { edge: { from, to: to && to < midnight ? to : midnight }, rest: { from: midnight, to } }
}
