import type { MessageState } from '@smsgw/client/openapi'
import { COMMAND, SmppError } from '../protocol/command.ts'
import { fields } from '../protocol/fields.ts'
import type { Pdu } from '../protocol/pdu.ts'
import {
  readCancelSm,
  readDataSm,
  readQuerySm,
  readSubmitMulti,
  readSubmitSm,
  type SmppSubmission,
} from '../protocol/requests.ts'
import { writeSmppTime } from '../protocol/smpp-time.ts'
import type { SmppLogin } from '../session/authenticate.ts'
import type { SmppAnswer, SmppSession } from '../session/smpp-session.ts'
import { lookUpFailure } from './api-failure.ts'
import { finalTimeOf, outcomeOf } from './outcome.ts'
import type { SmppSubmitter } from './submitter.ts'

/** Answers a request of a client that may send. Throws an SmppError if the request is refused. */
export async function answerRequest(
  { command, body }: Pdu,
  session: SmppSession,
  login: SmppLogin,
  submitter: SmppSubmitter,
): Promise<SmppAnswer> {
  const submit = (submission: SmppSubmission) => submitter.submit(submission, session.id, login)
  switch (command) {
    case COMMAND.submitSm:
      return { body: fields(await submit(readSubmitSm(body))) }
    case COMMAND.dataSm:
      return { body: fields(await submit(readDataSm(body))) }
    case COMMAND.submitMulti:
      // no_unsuccess is 0, because the API accepts a message for all its recipients or refuses it.
      return { body: fields(await submit(readSubmitMulti(body)), 0) }
    case COMMAND.querySm:
      return { body: await query(readQuerySm(body).messageId, login) }
    case COMMAND.cancelSm:
      await cancel(readCancelSm(body).messageId, login)
      return {}
    default:
      throw new SmppError('ESME_RREPLACEFAIL', 'replace_sm is not supported')
  }
}

async function query(messageId: string, { api }: SmppLogin): Promise<Buffer> {
  if (messageId === '') throw new SmppError('ESME_RINVMSGID', 'message_id is empty')
  const message = await api.messages.get(messageId).catch((error: unknown) => {
    throw lookUpFailure(error, 'ESME_RQUERYFAIL')
  })
  const { messageState, errorCode } = outcomeOf(message)
  return fields(message.id, finalDateOf(message), messageState, errorCode)
}

function finalDateOf(message: MessageState): string {
  const at = finalTimeOf(message)
  return at === undefined ? '' : writeSmppTime(at)
}

async function cancel(messageId: string, { api }: SmppLogin): Promise<void> {
  if (messageId === '') throw new SmppError('ESME_RCANCELFAIL', 'cancel_sm needs a message_id')
  await api.messages.cancel(messageId).catch((error: unknown) => {
    throw lookUpFailure(error, 'ESME_RCANCELFAIL')
  })
}
