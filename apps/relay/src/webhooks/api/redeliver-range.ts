import { idParams } from '@smsgw/contract/ids'
import { type DeliveryState, type RedeliverRequest, redeliverRequest } from '@smsgw/contract/webhook'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database, Statements } from '../../store/database.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { endPause } from './end-pause-statement.ts'
import { refuseUnreadable } from './may-read-event.ts'
import { redeliver } from './redeliver-statement.ts'
import { findWebhook, refuseDisabled } from './stored-webhook.ts'

/** Waiting deliveries are sent anyway, so they are included only on request. */
const FINISHED: readonly DeliveryState[] = ['delivered', 'failed', 'dropped']
const ROWS_AT_ONCE = 1000

interface RedeliverRangeDeps {
  readonly database: Database
  readonly outbox: Outbox
}

/** Delivers the events of a time range to one webhook again, under their original ids. */
export function redeliverRange({ database, outbox }: RedeliverRangeDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: redeliverRequest,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal, params: { id }, body, access }) {
      const webhook = await findWebhook(database, principal.accountId, id)
      refuseDisabled(webhook)
      const states = body.state === undefined ? FINISHED : [body.state]
      refuseUnreadable(principal, await olderEvents(database, webhook.key, states, body))
      for (const state of states)
        for await (const keys of keysInRange(database, webhook.key, state, body)) {
          await access.refuseLost()
          await database.$transaction(async (statements) => {
            refuseUnreadable(principal, await holdOlderEvents(statements, webhook.key, keys))
            await redeliver(statements, keys)
          })
        }
      await endPause(database, webhook.key)
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

/** The events of the range that were meant for an earlier URL of the webhook. */
async function olderEvents(
  database: Database,
  webhookKey: bigint,
  states: readonly DeliveryState[],
  { from, to }: RedeliverRequest,
): Promise<string[]> {
  const rows = await database.$queryRaw<{ event: string }[]>`
    SELECT DISTINCT d.event FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
    WHERE d.webhook_key = ${webhookKey} AND d.state = ANY(${[...states]}::text[])
      AND d.created_at >= ${from} AND d.created_at < ${to} AND d.key <= w.url_since_delivery`
  return rows.map(({ event }) => event)
}

/** The same for given deliveries; locks the webhook, so that its URL does not change before the transaction ends. */
async function holdOlderEvents(statements: Statements, webhookKey: bigint, keys: readonly bigint[]): Promise<string[]> {
  const [webhook] = await statements.$queryRaw<{ urlSinceDelivery: bigint }[]>`
    SELECT url_since_delivery AS "urlSinceDelivery" FROM webhooks WHERE key = ${webhookKey} FOR NO KEY UPDATE`
  const rows = await statements.$queryRaw<{ event: string }[]>`
    SELECT DISTINCT event FROM webhook_deliveries
    WHERE key = ANY(${[...keys]}::bigint[]) AND key <= ${webhook?.urlSinceDelivery ?? 0n}`
  return rows.map(({ event }) => event)
}

/** Reads in the order of the index: each row comes once, even if its state changes in the meantime. */
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
