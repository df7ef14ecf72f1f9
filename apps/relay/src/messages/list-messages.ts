import { listMessagesQuery, messageState } from '@smsgw/contract/message'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { readPage } from '../http/page.ts'
import type { Database } from '../store/database.ts'
import { messageAnswers } from './message-answer.ts'
import { countHistory, readHistory } from './read-history-statement.ts'

export function listMessages({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    query: listMessagesQuery,
    answers: { 200: z.array(messageState) },
    async handle({ principal: { accountId }, query, url }) {
      const { state, deviceId, from, to, sort, includeContent } = query
      const filter = { accountId, state, deviceId, from, to }
      const { rows, headers } = await readPage(query, url, {
        read: (part) => readHistory(database, filter, sort === 'created_at' ? 'ASC' : 'DESC', part),
        count: () => countHistory(database, filter),
      })
      const body = await messageAnswers(database, accountId, rows, { content: includeContent })
      return { status: 200, body, headers }
    },
  })
}
