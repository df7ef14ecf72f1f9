import { z } from 'zod'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import { mayDo } from '../../http/may-do.ts'
import type { CancelMessageDeps } from '../../messages/cancel-message.ts'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import { Prisma } from '../../store/generated/client.ts'
import { twilio } from './account-endpoints.ts'
import { deleteSent } from './delete-sent-statement.ts'
import { parameter } from './form-parameters.ts'
import { messageResource, resourceOf } from './message-resource.ts'
import { readableOf, requireRecord } from './read-messages.ts'
import type { MessageRecord } from './read-records-statement.ts'
import { errorAnswers, TwilioError } from './twilio-error.ts'

const messageParams = z.object({ account: z.string(), message: z.string() })

/** Cancels a message with `Status=canceled`, or removes its text with an empty `Body`. */
export function updateMessage(deps: CancelMessageDeps): Endpoint {
  const { database, clock } = deps
  return facadeEndpoint({
    ...twilio,
    params: messageParams,
    answers: { ...errorAnswers, 200: messageResource },
    async handle({ principal, params, body: { form }, url }) {
      const { accountId } = principal
      const record = await requireRecord(database, principal, params, url)
      const status = parameter(form, 'Status')
      const text = parameter(form, 'Body')
      if (status !== undefined && status !== 'canceled')
        throw new TwilioError(400, 20001, 'Status can only be changed to canceled')
      if (text !== undefined && text !== '')
        throw new TwilioError(400, 20001, 'Body can only be changed to an empty text, which removes it')
      if (text === '') requireErasing(principal, record)
      if (status === 'canceled') await cancel(deps, accountId, record)
      if (text === '') await redact(deps, record)
      const after = await requireRecord(database, principal, params, url)
      return { status: 200, body: resourceOf(readableOf(after, principal), accountId, clock.now()) }
    },
  })
}

async function cancel(
  { database, clock, hints, outbox, onMoved }: CancelMessageDeps,
  accountId: string,
  record: MessageRecord,
): Promise<void> {
  if (record.source === 1) throw cannotCancel('received')
  const at = clock.now()
  const { messages, changed, moves } = await database.$transaction((statements) =>
    advanceMessages(statements, [{ accountId, cmdId: record.id, input: { kind: 'cancel-requested', at } }], at),
  )
  onMoved?.(moves)
  const [message] = messages
  const state = message?.recipients.find(({ cmdId }) => cmdId === record.id)?.state ?? 'deleted'
  // A repeated cancel is not an error.
  if (changed.size === 0 && state !== 'Cancelling' && state !== 'Cancelled') throw cannotCancel(state)
  if (message && state === 'Cancelling') hints.wake([message.deviceId])
  outbox.wake()
}

function cannotCancel(state: string): TwilioError {
  return new TwilioError(400, 30409, `This message cannot be canceled: it is ${state.toLowerCase()}`)
}

/**
 * Throws 403 unless the caller may read the history that the request erases. The scope `messages:cancel` is sufficient
 * to end messages, as in the API of the relay. A received message is found only with `inbox:list`.
 */
function requireErasing(principal: Principal, { source }: MessageRecord): void {
  if (source === 0 && !mayDo(principal, 'messages:list'))
    throw new TwilioError(403, 20003, 'scope required: messages:list (to delete a sent message or to remove its text)')
}

async function redact({ database }: CancelMessageDeps, { source, key, text }: MessageRecord): Promise<void> {
  if (source === 1) {
    await database.$transaction([
      database.inboxItem.updateMany({ where: { key }, data: { text: '', mms: Prisma.DbNull, isPartial: false } }),
      database.inboxAttachment.deleteMany({ where: { inboxKey: key } }),
    ])
    return
  }
  // The statement that makes the change also checks the conditions, so that a message cannot be sent without its text.
  const count = await database.$transaction(async (statements) => {
    const changed = await statements.message.updateMany({
      where: { key, finishedAt: { not: null }, contentHash: null },
      data: { text: '', data: null, port: null, mms: Prisma.DbNull },
    })
    if (changed.count > 0) await statements.messageAttachment.deleteMany({ where: { messageKey: key } })
    return changed.count
  })
  if (count === 0 && text) throw unfinished('Body can be removed')
}

function unfinished(what: string): TwilioError {
  return new TwilioError(400, 20009, `${what} only after the message was sent, has failed or was canceled`)
}

/** Deletes a message that has ended. */
export function deleteTwilioMessage({ database }: Pick<CancelMessageDeps, 'database'>): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: messageParams,
    answers: { ...errorAnswers, 204: null },
    async handle({ principal, params, url }) {
      const record = await requireRecord(database, principal, params, url)
      requireErasing(principal, record)
      if (record.source === 1) await database.inboxItem.deleteMany({ where: { key: record.key } })
      else if (!(await database.$transaction((statements) => deleteSent(statements, record.key, record.id))))
        throw unfinished('A message can be deleted')
      return { status: 204 }
    },
  })
}
