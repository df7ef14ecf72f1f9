import { conversationParams } from '@smsgw/contract/inbox/conversation'
import { type ConversationDetails, conversationDetails, unreadTotals } from '@smsgw/contract/inbox/shared-inbox'
import { z } from 'zod'
import { storedNumber } from '../conversations/stored-number.ts'
import type { NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'
import { findLastKey } from '../messages/by-number/find-last-key-statement.ts'
import type { Statements } from '../store/database.ts'
import { countUnread } from './count-unread-statement.ts'
import { noteAnswer } from './notes.ts'
import { readConversationStates, type StoredState } from './read-conversation-states-statement.ts'

/**
 * Shows labels, notes, assignee and unread messages of a conversation. For a conversation without messages and
 * decisions, all of them are empty.
 */
export function showDetails({ database, rules }: NumberDeps): Endpoint {
  return endpoint({
    params: conversationParams,
    answers: { 200: conversationDetails },
    async handle({ principal, params }) {
      const number = await storedNumber(database, principal.accountId, params.number, rules)
      return { status: 200, body: await readDetails(database, principal, number) }
    },
  })
}

export async function readDetails(
  statements: Statements,
  principal: Principal,
  number: string,
): Promise<ConversationDetails> {
  const { accountId } = principal
  const seesSent = mayDo(principal, 'messages:list')
  const [states, notes, sent] = await Promise.all([
    readConversationStates(statements, accountId, [number]),
    statements.conversationNote.findMany({ where: { accountId, number }, orderBy: { createdAt: 'asc' } }),
    // Ignores replies of webhooks, because strangers cause them.
    seesSent ? findLastKey(statements, accountId, number, { isNoReply: true }) : undefined,
  ])
  const state = states.get(number)
  return {
    number,
    ...(state && mayDo(principal, 'inbox:list') && { unread: state.unread }),
    ...(seesSent && { hasSent: sent !== undefined }),
    ...decisionsOf(state),
    notes: notes.map(noteAnswer),
  }
}

/** Returns the members of a conversation that `conversations:read` allows. */
export function decisionsOf(state: StoredState | undefined) {
  return {
    labels: state?.labels ?? [],
    ...(state?.assignee && { assignee: state.assignee }),
    ...(state?.archivedAt && { archivedAt: state.archivedAt.toISOString() }),
    ...(state?.blockedAt && { blockedAt: state.blockedAt.toISOString() }),
  }
}

export function showUnreadTotals({ database }: NumberDeps): Endpoint {
  return endpoint({
    answers: { 200: unreadTotals },
    handle: async ({ principal: { accountId } }) => ({ status: 200, body: await countUnread(database, accountId) }),
  })
}

const MOST_ASSIGNEES = 200

/** Lists the names to which conversations are assigned, as suggestions. */
export function listAssignees({ database }: NumberDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(z.string()) },
    async handle({ principal: { accountId } }) {
      const rows = await database.conversationState.findMany({
        where: { accountId, assignee: { not: null } },
        distinct: ['assignee'],
        orderBy: { assignee: 'asc' },
        select: { assignee: true },
        take: MOST_ASSIGNEES,
      })
      return { status: 200, body: rows.flatMap(({ assignee }) => assignee ?? []) }
    },
  })
}
