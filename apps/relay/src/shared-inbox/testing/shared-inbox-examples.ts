import type { Statements } from '../../store/database.ts'
import { addState, lockConversation, lockLabels, markRead, markUnread } from '../change-state-statement.ts'
import { countUnread } from '../count-unread-statement.ts'
import { deleteUnusedStates } from '../delete-unused-states-statement.ts'
import { readConversationStates } from '../read-conversation-states-statement.ts'
import { readFilteredNumbers } from '../read-filtered-numbers-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

/** Runs every statement of the shared inbox at least once, for `statements.test.ts`. */
export const sharedInboxExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'shared-inbox/change-state-statement.ts': async (s) => {
    const label = { id: 'label', accountId: 'account', name: 'Urgent', color: 'red' }
    await s.label.create({ data: label })
    await lockConversation(s, 'account', '+447700900123')
    await addState(s, 'account', '+447700900123')
    await lockLabels(s, 'account', ['label'])
    await markUnread(s, 'account', '+447700900123')
    await markRead(s, 'account', '+447700900123', { at: now, key: 9n })
  },
  'shared-inbox/count-unread-statement.ts': (s) => countUnread(s, 'account'),
  'shared-inbox/delete-unused-states-statement.ts': async (s) => {
    for (const blockedAt of [null, now])
      await s.conversationState.create({ data: { accountId: 'account', number: `+${blockedAt ? 1 : 2}`, blockedAt } })
    await deleteUnusedStates(s as never)
  },
  'shared-inbox/read-conversation-states-statement.ts': (s) => readConversationStates(s, 'account', ['+447700900123']),
  'shared-inbox/read-filtered-numbers-statement.ts': (s) =>
    readFilteredNumbers(s, 'account', { unread: true, label: 'label', assignee: 'Ada', folder: 'inbox' }, 1),
}
