import { idParams } from '@smsgw/contract/ids'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database, Statements } from '../../store/database.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { endPause } from './end-pause-statement.ts'
import { refuseUnreadable } from './may-read-event.ts'
import { redeliver } from './redeliver-statement.ts'
import { unknownDelivery } from './stored-delivery.ts'
import { refuseDisabled } from './stored-webhook.ts'

interface RedeliverOneDeps {
  readonly database: Database
  readonly outbox: Outbox
}

/** Delivers one event again under its original id. */
export function redeliverOne({ database, outbox }: RedeliverOneDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal, params: { id } }) {
      await database.$transaction(async (statements) => {
        const held = await holdDelivery(statements, principal.accountId, id)
        if (held !== undefined) refuseDisabled(held)
        if (held?.isOlder) refuseUnreadable(principal, [held.event])
        // Deliveries are deleted before their webhook, so this one may be gone.
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
  readonly event: string
  /** It was meant for an earlier URL of the webhook. */
  readonly isOlder: boolean
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
}

/**
 * Finds a delivery and locks its webhook, so that it is neither deleted nor changed before the transaction ends. Looks
 * it up by webhook and id: an account has few webhooks.
 */
async function holdDelivery(statements: Statements, accountId: string, id: string): Promise<HeldDelivery | undefined> {
  const [held] = await statements.$queryRaw<HeldDelivery[]>`
    SELECT d.key, w.key AS "webhookKey", d.event, d.key <= w.url_since_delivery AS "isOlder",
      w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason"
    FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key AND d.id = ${id}
    WHERE w.account_id = ${accountId} FOR NO KEY UPDATE OF w`
  return held
}
