import { idParams } from '@smsgw/contract/ids'
import { messageState } from '@smsgw/contract/message'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { findMessage } from './find-message-statement.ts'
import { messageAnswer, messageAnswers } from './message-answer.ts'

export function getMessage({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: messageState },
    async handle({ principal: { accountId }, params: { id } }) {
      const message = await findMessage(database, accountId, id)
      if (message === undefined) throw unknownMessage()
      const [body = messageAnswer(message, { content: true })] = await messageAnswers(database, accountId, [message], {
        content: true,
      })
      return { status: 200, body }
    },
  })
}

export function unknownMessage(): ApiError {
  return new ApiError(404, 'No message has this id')
}
