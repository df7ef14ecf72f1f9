import { idParams } from '@smsgw/contract/ids'
import { delivery, deliveryStates, listDeliveriesQuery } from '@smsgw/contract/webhook'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { olderThan, type Place, readPage } from '../../http/page.ts'
import type { Database } from '../../store/database.ts'
import type { Prisma } from '../../store/generated/client.ts'
import { deliveryAnswer } from './stored-delivery.ts'
import { findWebhook } from './stored-webhook.ts'

/** Lists the deliveries of a webhook, newest first. */
export function listDeliveries({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    query: listDeliveriesQuery,
    answers: { 200: z.array(delivery) },
    async handle({ principal: { accountId }, params: { id }, query, url }) {
      const webhook = await findWebhook(database, accountId, id)
      const where = {
        webhookKey: webhook.key,
        createdAt: { ...(query.from && { gte: query.from }), ...(query.to && { lt: query.to }) },
      }
      const states = query.state === undefined ? deliveryStates : [query.state]
      const { rows, headers } = await readPage(query, url, {
        read: (window) => newestOf(database, where, states, window),
        count: () => database.webhookDelivery.count({ where: { ...where, state: { in: [...states] } } }),
      })
      return { status: 200, body: rows.map((row) => deliveryAnswer(id, row)), headers }
    },
  })
}

/** Reads each state by itself, as the index serves the outbox and begins with the state. */
async function newestOf(
  database: Database,
  where: Prisma.WebhookDeliveryWhereInput,
  states: readonly string[],
  { after, skip, take }: { after: Place | undefined; skip: number; take: number },
) {
  const ofStates = states.map((state) =>
    database.webhookDelivery.findMany({
      where: { AND: [where, { state }, after ? olderThan(after) : {}] },
      include: { attemptRows: { orderBy: { number: 'asc' } } },
      orderBy: [{ createdAt: 'desc' }, { key: 'desc' }],
      take: skip + take,
    }),
  )
  const found = (await Promise.all(ofStates)).flat()
  found.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || Number(other.key - one.key))
  return found.slice(skip, skip + take)
}
