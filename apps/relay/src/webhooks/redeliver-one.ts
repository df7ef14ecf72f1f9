import { idParams } from '@smsgw/contract/ids'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database, Statements } from '../store/database.ts'
import { endPause } from './end-pause.ts'
import { unknownDelivery } from './find-delivery.ts'
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
      await database.$transaction(async (statements) => {
        const held = await holdDelivery(statements, accountId, id)
        if (held !== undefined) refuseDisabled(held)
        // Deliveries go before their webhook does, so that this one may be gone already.
        if (held === undefined || (await redeliver(statements, [held.key])) === 0) throw unknownDelivery()
        await endPause(statements, held.webhookKey)
      })
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

interface HeldDelivery {
  readonly key: bigint
  readonly webhookKey: bigint
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
}

/** Nobody deletes its webhook before the transaction ends. Found by webhook and id: an account has few webhooks. */
async function holdDelivery(statements: Statements, accountId: string, id: string): Promise<HeldDelivery | undefined> {
  const [held] = await statements.$queryRaw<HeldDelivery[]>`
    SELECT d.key, w.key AS "webhookKey", w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason"
    FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key AND d.id = ${id}
    WHERE w.account_id = ${accountId} FOR KEY SHARE OF w`
  return held
}
