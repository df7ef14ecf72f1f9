import { conversationParams } from '@smsgw/contract/inbox/conversation'
import {
  type ConversationChange,
  changeConversationRequest,
  conversationDetails,
} from '@smsgw/contract/inbox/shared-inbox'
import { findEntry } from '../conversations/find-entry.ts'
import { storedNumber } from '../conversations/stored-number.ts'
import { visibilityOf } from '../conversations/visibility.ts'
import type { CoreDeps, NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { fieldError } from '../http/errors/validation-error.ts'
import { mayDo, scopeRequired } from '../http/may-do.ts'
import type { Statements } from '../store/database.ts'
import { addState, lockConversation, lockLabels, markRead, markUnread } from './change-state-statement.ts'
import { readDetails } from './conversation-details.ts'
import { requireMessages } from './require-messages.ts'

type ChangeConversationDeps = NumberDeps & Pick<CoreDeps, 'clock'>

/**
 * Changes labels, assignee, archiving, blocking and unread messages of a conversation. Omitted members stay unchanged.
 */
export function changeConversation({ database, rules, clock }: ChangeConversationDeps): Endpoint {
  return endpoint({
    params: conversationParams,
    body: changeConversationRequest,
    answers: { 200: conversationDetails },
    errors: [404, 409],
    async handle({ principal, params, body }) {
      const { accountId } = principal
      const number = await storedNumber(database, accountId, params.number, rules)
      const details = await database.$transaction(async (statements) => {
        await lockConversation(statements, accountId, number)
        await refuseImpossible(statements, principal, number, body)
        await changeUnread(statements, principal, number, body)
        if (isDecision(body)) await addState(statements, accountId, number)
        await decide(
          statements,
          accountId,
          number,
          await withoutUnseen(statements, accountId, number, body),
          clock.now(),
        )
        await changeLabels(statements, accountId, number, body)
        return await readDetails(statements, principal, number)
      })
      return { status: 200, body: details }
    },
  })
}

/** A number without messages can only be blocked or unblocked. Refuses any other change of it. */
async function refuseImpossible(
  statements: Statements,
  principal: Principal,
  number: string,
  { blocked, unread, readUpTo }: ConversationChange,
): Promise<void> {
  if (blocked === undefined) await requireMessages(statements, principal.accountId, number)
  if ((unread ?? readUpTo) !== undefined && !mayDo(principal, 'inbox:list')) throw scopeRequired('inbox:list')
}

async function changeUnread(
  statements: Statements,
  principal: Principal,
  number: string,
  { unread, readUpTo }: ConversationChange,
): Promise<void> {
  const { accountId } = principal
  if (readUpTo !== undefined) {
    const entry = await findEntry(statements, visibilityOf(principal), number, readUpTo)
    if (entry === undefined) throw fieldError('readUpTo', 'is not the id of a message of this conversation')
    // Messages that were received at the same time as a sent message come before it.
    await markRead(statements, accountId, number, entry.direction === 'in' ? entry : { ...entry, key: MOST_KEY })
  }
  if (unread === true) await markUnread(statements, accountId, number)
  if (unread === false) await markRead(statements, accountId, number)
}

/**
 * If the caller names the last message that it saw, leaves later messages unarchived. Otherwise, nobody would see these
 * messages.
 */
async function withoutUnseen(
  statements: Statements,
  accountId: string,
  number: string,
  change: ConversationChange,
): Promise<ConversationChange> {
  if (change.archived !== true || change.readUpTo === undefined) return change
  const later = await statements.inboxItem.findFirst({
    where: { accountId, sender: number, isUnread: true },
    select: { key: true },
  })
  return later === null ? change : { ...change, archived: undefined }
}

const MOST_KEY = 9_223_372_036_854_775_807n

function isDecision({ archived, blocked, assignee, addLabels }: ConversationChange): boolean {
  return [archived, blocked, assignee, addLabels].some((member) => member !== undefined)
}

async function decide(
  statements: Statements,
  accountId: string,
  number: string,
  { archived, blocked, assignee }: ConversationChange,
  now: Date,
): Promise<void> {
  if ((archived ?? blocked ?? assignee) === undefined) return
  const where = { accountId_number: { accountId, number } }
  const before = await statements.conversationState.findUniqueOrThrow({ where })
  await statements.conversationState.update({
    where,
    data: {
      ...(archived !== undefined && { archivedAt: archived ? (before.archivedAt ?? now) : null }),
      ...(blocked !== undefined && { blockedAt: blocked ? (before.blockedAt ?? now) : null }),
      ...(assignee !== undefined && { assignee: assignee === '' ? null : assignee }),
    },
  })
  if (blocked === true) await markRead(statements, accountId, number)
}

async function changeLabels(
  statements: Statements,
  accountId: string,
  number: string,
  { addLabels = [], removeLabels = [] }: ConversationChange,
): Promise<void> {
  if (addLabels.length > 0) {
    const found = await lockLabels(statements, accountId, addLabels)
    const unknown = addLabels.findIndex((id) => !found.includes(id))
    if (unknown !== -1) throw fieldError(`addLabels[${unknown}]`, 'is not a label: GET /labels lists the labels')
    const data = addLabels.map((labelId) => ({ accountId, number, labelId }))
    await statements.conversationLabel.createMany({ data, skipDuplicates: true })
  }
  if (removeLabels.length > 0)
    await statements.conversationLabel.deleteMany({ where: { accountId, number, labelId: { in: removeLabels } } })
}
