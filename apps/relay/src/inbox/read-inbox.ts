import { idParams } from '@smsgw/contract/fields/ids'
import { getInboxQuery, inboxItem, listInboxQuery } from '@smsgw/contract/inbox/inbox'
import { z } from 'zod'
import type { CoreDeps, NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { ALL_ROWS, olderThan, readPage } from '../http/page.ts'
import { storedSpellings } from '../messages/accept/phone-number.ts'
import type { Prisma } from '../store/generated/client.ts'
import { countList } from '../store/list-counts/list-counts-statement.ts'
import { countReceived, findReceivedAt } from './count-received.ts'
import { inboxItemAnswer, withAttachments } from './stored-item.ts'

/** Lists received messages, newest first. */
export function listInbox({ database, rules }: NumberDeps): Endpoint {
  return endpoint({
    query: listInboxQuery,
    answers: { 200: z.array(inboxItem) },
    async handle({ principal: { accountId }, query, url }) {
      const { type, sender, deviceId, from, to } = query
      const senders = sender === undefined ? undefined : [...storedSpellings(sender, rules.defaultRegion)]
      const filter = { accountId, type, senders, deviceId, from, to }
      const where: Prisma.InboxItemWhereInput = {
        accountId,
        ...(type && { type }),
        ...(senders && { sender: { in: senders } }),
        ...(deviceId !== undefined && { deviceId }),
        createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
      }
      const { rows, headers } = await readPage(query, url, {
        read: ({ after, skip, take }) =>
          database.inboxItem.findMany({
            where: { AND: [where, after ? olderThan(after) : {}] },
            orderBy: [{ createdAt: 'desc' }, { key: 'desc' }],
            include: query.includeAttachments ? withAttachments : {},
            skip,
            take,
          }),
        count: async () => {
          const isCounted = sender === undefined && from === undefined && to === undefined
          const kinds = type && [type]
          const stored = isCounted
            ? await countList(database, { list: 'inbox', owner: accountId, deviceId, kinds })
            : undefined
          if (stored !== undefined) return { count: stored, isExact: true }
          return await countReceived(database, filter, isCounted ? ALL_ROWS : undefined)
        },
        positionAt: (offset) => findReceivedAt(database, filter, offset),
      })
      return { status: 200, body: rows.map(inboxItemAnswer), headers }
    },
  })
}

export function getInboxItem({ database }: Pick<CoreDeps, 'database'>): Endpoint {
  return endpoint({
    params: idParams,
    query: getInboxQuery,
    answers: { 200: inboxItem },
    async handle({ principal: { accountId }, params: { id }, query }) {
      const item = await database.inboxItem.findUnique({
        where: { accountId_id: { accountId, id } },
        include: query.includeAttachments ? withAttachments : {},
      })
      if (item === null) throw new ApiError(404, 'No received message has this id: retention may have deleted it')
      return { status: 200, body: inboxItemAnswer(item) }
    },
  })
}
