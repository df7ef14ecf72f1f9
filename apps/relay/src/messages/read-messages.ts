import { idParams } from '@smsgw/contract/fields/ids'
import {
  getMessageQuery,
  listMessagesQuery,
  type MessageStateAnswer,
  messageState,
} from '@smsgw/contract/messages/message'
import { z } from 'zod'
import { dataPlaceholder, withAttachmentData } from '../attachments/attachment-data.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { readPage } from '../http/page.ts'
import type { Database } from '../store/database.ts'
import { findMessage } from './find-message-statement.ts'
import { messageAnswer, messageAnswers } from './message-answer.ts'
import { readByOffset } from './read-by-offset.ts'
import { countHistory } from './read-history-statement.ts'

export function getMessage({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    query: getMessageQuery,
    answers: { 200: messageState },
    async handle({ principal: { accountId }, params: { id }, query: { includeAttachmentData }, access }) {
      const message = await findMessage(database, accountId, id)
      if (message === undefined) throw unknownMessage()
      const [body = messageAnswer(message, { content: true })] = await messageAnswers(database, accountId, [message], {
        content: true,
      })
      if (!includeAttachmentData) return { status: 200, body }
      return withAttachmentData(database, access, { status: 200, body: withPlaceholders(body, message.key) })
    },
  })
}

function withPlaceholders(body: MessageStateAnswer, key: bigint): MessageStateAnswer {
  if (body.mmsMessage === undefined) return body
  const message = { key, isEncrypted: body.isEncrypted }
  const attachments = body.mmsMessage.attachments.map((one) => ({ ...one, data: dataPlaceholder(message, one.partId) }))
  return { ...body, mmsMessage: { ...body.mmsMessage, attachments } }
}

export function unknownMessage(): ApiError {
  return new ApiError(404, 'No message has this id')
}

export function listMessages({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    query: listMessagesQuery,
    answers: { 200: z.array(messageState) },
    async handle({ principal: { accountId }, query, url, access }) {
      const { state, deviceId, from, to, hasFailed, sentBy, approval, sort, includeContent, includeAttachmentData } =
        query
      const filter = { accountId, state, deviceId, from, to, hasFailed, sentBy, approval }
      const { rows, headers } = await readPage(query, url, {
        read: (part) => readByOffset(database, filter, sort === 'created_at' ? 'ASC' : 'DESC', part),
        count: () => countHistory(database, filter),
      })
      const body = await messageAnswers(database, accountId, rows, { content: includeContent })
      if (!includeAttachmentData) return { status: 200, body, headers }
      const whole = body.map((one, index) => withPlaceholders(one, rows[index]?.key ?? 0n))
      return withAttachmentData(database, access, { status: 200, body: whole, headers })
    },
  })
}
