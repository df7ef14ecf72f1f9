import { idParams } from '@smsgw/contract/fields/ids'
import { type MessageStateAnswer, messageState } from '@smsgw/contract/messages/message'
import type { CoreDeps } from '../../core-deps.ts'
import type { WakeHints } from '../../hints/wake-hints.ts'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import type { Database, Statements } from '../../store/database.ts'
import type { Outbox } from '../../webhooks/outbox/enqueue-events.ts'
import { findMessage } from '../find-message-statement.ts'
import { messageAnswers } from '../message-answer.ts'
import { advanceMessages } from '../progress/advance-messages.ts'
import type { Move } from '../progress/message-progress.ts'
import { unknownMessage } from '../read-messages.ts'
import type { StoredMessage } from '../stored-message.ts'
import { approvePending, type Decision, refusePending } from './decide-approval-statement.ts'

interface DecideMessageDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly hints: Pick<WakeHints, 'wakeForSend'>
  readonly outbox: Outbox
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/**
 * Approves a message that waits for approval, so that it is sent. A repeated approval is answered with the present
 * state.
 */
export function approveMessage(deps: DecideMessageDeps): Endpoint {
  const { database, hints } = deps
  return endpoint({
    params: idParams,
    answers: { 200: messageState },
    errors: [409],
    async handle({ principal, params: { id } }) {
      const decision = decisionOf(deps, principal, id)
      if (await approvePending(database, decision)) {
        const { deviceId, scheduleAt } = await present(database, decision)
        if (scheduleAt === null) hints.wakeForSend(deviceId, false)
      }
      return { status: 200, body: await answerAs('approved', database, decision) }
    },
  })
}

/** Refuses a message that waits for approval, which ends it as failed. */
export function refuseMessage(deps: DecideMessageDeps): Endpoint {
  const { database, outbox, onMoved } = deps
  return endpoint({
    params: idParams,
    answers: { 200: messageState },
    errors: [409],
    async handle({ principal, params: { id } }) {
      const decision = decisionOf(deps, principal, id)
      const moves = await database.$transaction((statements) => refuse(statements, decision))
      onMoved?.(moves)
      if (moves.length > 0) outbox.wake()
      return { status: 200, body: await answerAs('refused', database, decision) }
    },
  })
}

async function refuse(statements: Statements, decision: Decision): Promise<readonly Move[]> {
  if (!(await refusePending(statements, decision))) return []
  const { accountId, at } = decision
  const { recipients } = await present(statements, decision)
  const updates = recipients.map(({ cmdId }) => ({ accountId, cmdId, input: { kind: 'refused' as const, at } }))
  return (await advanceMessages(statements, updates, at)).moves
}

/**
 * Refuses a decision by a key whose own messages need approval, whatever its scopes. The same applies to a token that
 * was issued with such a key.
 */
function decisionOf({ clock }: DecideMessageDeps, { accountId, username, key }: Principal, id: string): Decision {
  if (key?.limits.approval !== undefined)
    throw new ApiError(
      403,
      `Messages of API key ${JSON.stringify(key.name)} need approval, so this key may not approve messages`,
    )
  return { accountId, id, by: key === undefined ? username : `API key ${key.name}`, at: clock.now() }
}

async function present(statements: Statements, { accountId, id }: Decision): Promise<StoredMessage> {
  const message = await findMessage(statements, accountId, id)
  if (message === undefined) throw unknownMessage()
  return message
}

async function answerAs(
  wanted: 'approved' | 'refused',
  database: Database,
  decision: Decision,
): Promise<MessageStateAnswer | undefined> {
  const message = await present(database, decision)
  if (message.approval !== wanted) throw tooLate(message)
  const [body] = await messageAnswers(database, decision.accountId, [message], { content: true })
  return body
}

export const decisionWords = { approved: 'approved', refused: 'rejected' } as const

function tooLate({ approval, approvalBy, state }: StoredMessage): ApiError {
  if (approval === null) return new ApiError(409, 'The message needs no approval')
  if (approval === 'pending' && state !== 'Pending')
    return new ApiError(409, `The message is ${state} and can no longer be approved or rejected`, {
      reason: 'message_final',
    })
  if (approval === 'approved' || approval === 'refused')
    return new ApiError(409, `The message was already ${decisionWords[approval]} by ${approvalBy ?? 'another user'}`, {
      reason: 'approval_decided',
      values: { decision: approval, by: approvalBy ?? '' },
    })
  return new ApiError(409, 'The time in which the message could be approved has passed', { reason: 'approval_expired' })
}
