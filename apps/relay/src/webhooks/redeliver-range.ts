import { idParams } from '@smsgw/contract/ids'
import { type DeliveryState, type RedeliverRequest, redeliverRequest } from '@smsgw/contract/webhook'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { endPause } from './end-pause.ts'
import { findWebhook, refuseDisabled } from './find-webhook.ts'
import type { Outbox } from './outbox.ts'
import { redeliver } from './redeliver-statement.ts'

/** What waits comes by itself, unless it is asked for. */
const FINISHED: readonly DeliveryState[] = ['delivered', 'failed', 'dropped']
const ROWS_AT_ONCE = 1000

interface RedeliverRangeNeeds {
  readonly database: Database
  readonly outbox: Outbox
}

/** What one webhook was or should have been told in a range of time, again, under the ids of then. */
export function redeliverRange({ database, outbox }: RedeliverRangeNeeds): Endpoint {
  return endpoint({
    params: idParams,
    body: redeliverRequest,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal: { accountId }, params: { id }, body }) {
      const webhook = await findWebhook(database, accountId, id)
      refuseDisabled(webhook)
      for (const state of body.state === undefined ? FINISHED : [body.state])
        for await (const keys of keysInRange(database, webhook.key, state, body)) await redeliver(database, keys)
      await endPause(database, webhook.key)
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

/** In the order of the index: each row comes once, though it changes its state and may change it back meanwhile. */
async function* keysInRange(
  database: Database,
  webhookKey: bigint,
  state: DeliveryState,
  { from, to }: RedeliverRequest,
): AsyncGenerator<readonly bigint[]> {
  let place = { createdAt: from, key: 0n }
  for (;;) {
    const rows = await database.webhookDelivery.findMany({
      where: {
        webhookKey,
        state,
        createdAt: { gte: place.createdAt, lt: to },
        OR: [{ createdAt: { gt: place.createdAt } }, { key: { gt: place.key } }],
      },
      orderBy: [{ createdAt: 'asc' }, { key: 'asc' }],
      take: ROWS_AT_ONCE,
      select: { key: true, createdAt: true },
    })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ key }) => key)
    place = last
  }
}
