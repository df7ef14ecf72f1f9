import { idParams } from '@smsgw/contract/ids'
import { inboxItem } from '@smsgw/contract/inbox'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { inboxItemAnswer } from './inbox-item-answer.ts'

export function getInboxItem({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: inboxItem },
    async handle({ principal: { accountId }, params: { id } }) {
      const item = await database.inboxItem.findUnique({ where: { accountId_id: { accountId, id } } })
      if (item === null)
        throw new ApiError(404, 'No received message has this id: it may have been deleted by retention')
      return { status: 200, body: inboxItemAnswer(item) }
    },
  })
}
