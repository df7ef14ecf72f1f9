import { idParams } from '@smsgw/contract/fields/ids'
import { type DeliveryState, type RedeliverRequest, redeliverRequest } from '@smsgw/contract/webhooks/webhook'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { endPause } from './end-pause-statement.ts'
import { lockDelivery } from './lock-delivery-statement.ts'
import { refuseUnreadable } from './may-read-event.ts'
import { unknownDelivery } from './read-deliveries.ts'
import { lockOlderEvents, readOlderEvents } from './read-older-events-statement.ts'
import { redeliver } from './redeliver-statement.ts'
import { findWebhook, refuseDisabled } from './stored-webhook.ts'

interface RedeliverDeps {
  readonly database: Database
  readonly outbox: Outbox
}

/** Delivers one event again under its original id. */
export function redeliverOne({ database, outbox }: RedeliverDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal, params: { id } }) {
      await database.$transaction(async (statements) => {
        const delivery = await lockDelivery(statements, principal.accountId, id)
        if (delivery !== undefined) refuseDisabled(delivery)
        if (delivery?.isOlder) refuseUnreadable(principal, [delivery.event])
        // Deliveries are deleted before their webhook, so the delivery may be gone although its webhook still exists.
        if (delivery === undefined || (await redeliver(statements, [delivery.key])) === 0) throw unknownDelivery()
        await endPause(statements, delivery.webhookKey)
      })
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

/** Waiting deliveries are sent in any case, so they are included only on request. */
const FINISHED: readonly DeliveryState[] = ['delivered', 'failed', 'dropped']
const ROWS_AT_ONCE = 1000

/** Delivers the events of a time range to one webhook again, under their original ids. */
export function redeliverRange({ database, outbox }: RedeliverDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: redeliverRequest,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal, params: { id }, body, access }) {
      const webhook = await findWebhook(database, principal.accountId, id)
      refuseDisabled(webhook)
      const states = body.state === undefined ? FINISHED : [body.state]
      refuseUnreadable(principal, await readOlderEvents(database, webhook.key, states, body))
      for (const state of states)
        for await (const keys of keysInRange(database, webhook.key, state, body)) {
          await access.refuseLost()
          await database.$transaction(async (statements) => {
            refuseUnreadable(principal, await lockOlderEvents(statements, webhook.key, keys))
            await redeliver(statements, keys)
          })
        }
      await endPause(database, webhook.key)
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

/** Reads in the order of the index, so that each row is read once even if its state changes in the meantime. */
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
