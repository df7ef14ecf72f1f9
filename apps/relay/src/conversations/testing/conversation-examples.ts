import { readEveryNumber } from '../../conversation-order/read-every-number-statement.ts'
import { readOrder, readUnordered } from '../../conversation-order/read-order-statement.ts'
import {
  isOrderBehind,
  lockOrder,
  readLastKeys,
  readProgress,
  updateOrder,
} from '../../conversation-order/update-order-statement.ts'
import type { Statements } from '../../store/database.ts'
import { limitStatements } from '../limit-statements-statement.ts'
import { readSentEntries } from '../read-entries-statement.ts'
import { readLatestEntries } from '../read-latest-entries-statement.ts'
import { readOpenRecipients } from '../read-open-recipients-statement.ts'
import { readRecentNumbers } from '../read-recent-numbers-statement.ts'
import { readTextMatches } from '../read-text-matches-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const visibility = { accountId: 'account', sent: true, received: true }

/** Runs every statement about conversations at least once, for `statements.test.ts`. */
export const conversationExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'conversation-order/read-every-number-statement.ts': (s) =>
    readEveryNumber(s, 'account', { most: 9, mostUnordered: 9 }),
  'conversation-order/read-order-statement.ts': async (s) => {
    await readUnordered(s, 'account', 1)
    await readOrder(s, 'account', { unread: true, folder: 'inbox' }, { at: now, number: '' }, 1)
  },
  'conversation-order/update-order-statement.ts': async (s) => {
    await readProgress(s)
    await isOrderBehind(s)
    await lockOrder(s)
    await updateOrder(s, { sentKey: 0n, receivedKey: 0n }, await readLastKeys(s), 1)
  },
  'conversations/limit-statements-statement.ts': (s) => limitStatements(s, 1_000),
  'conversations/read-entries-statement.ts': (s) =>
    readSentEntries(s, visibility, '+447700900123', 9n, { side: 'older', take: 1 }),
  'conversations/read-latest-entries-statement.ts': (s) =>
    readLatestEntries(s, visibility, ['+447700900123'], { after: undefined, before: { at: now, number: '' } }, 1),
  'conversations/read-open-recipients-statement.ts': (s) =>
    readOpenRecipients(s, 'account', [{ id: 'message', number: '+447700900123' }]),
  'conversations/read-recent-numbers-statement.ts': (s) => readRecentNumbers(s, visibility, now, 1),
  'conversations/read-text-matches-statement.ts': (s) =>
    readTextMatches(s, visibility, {
      text: 'hello',
      number: { part: 'hello', whole: ['hello'], received: true },
      filter: { folder: 'inbox' },
      before: { at: now, number: '' },
      messages: 1,
      take: 1,
    }),
}
