import { idParams } from '@smsgw/contract/ids'
import { z } from 'zod'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { endPause } from './end-pause.ts'
import { refuseDisabled } from './find-webhook.ts'
import type { Outbox } from './outbox.ts'
import { redeliver } from './redeliver-statement.ts'

interface RedeliverOneNeeds {
  readonly database: Database
  readonly outbox: Outbox
}

/** One delivery again, by the id of its event, which stays what it is. */
export function redeliverOne({ database, outbox }: RedeliverOneNeeds): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal: { accountId }, params: { id } }) {
      // Deliveries are found by webhook and id, and an account has few webhooks.
      const webhooks = await database.webhook.findMany({ where: { accountId } })
      const delivery = await database.webhookDelivery.findFirst({
        where: { id, accountId, webhookKey: { in: webhooks.map(({ key }) => key) } },
        select: { key: true, webhook: true },
      })
      if (delivery === null) throw new ApiError(404, 'There is no such delivery: it may be older than is kept')
      refuseDisabled(delivery.webhook)
      await redeliver(database, [delivery.key])
      await endPause(database, delivery.webhook.key)
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}
