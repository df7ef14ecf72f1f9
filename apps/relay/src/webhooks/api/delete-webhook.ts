import { idParams } from '@smsgw/contract/ids'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Logbook } from '../../logs/logbook.ts'
import type { Database } from '../../store/database.ts'

export interface DeleteWebhookDeps {
  readonly database: Database
  readonly logbook: Logbook
}

/** Deletes a webhook with its deliveries. Also answers 204 when the webhook does not exist. */
export function deleteWebhook({ database, logbook }: DeleteWebhookDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    unknownId: 204,
    async handle({ principal: { accountId }, params: { id } }) {
      const webhook = await database.webhook.findUnique({
        where: { accountId_id: { accountId, id } },
        select: { key: true },
      })
      if (webhook === null) return { status: 204 }
      await deleteWithDeliveries(database, webhook.key)
      const message = 'webhook and its deliveries deleted'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 204 }
    },
  })
}

const ROWS_AT_ONCE = 5000

/**
 * Deletes the deliveries in several statements, as there may be millions; the last ones are deleted with the webhook.
 * The webhook is disabled first, so that nothing is sent in the meantime.
 */
async function deleteWithDeliveries(database: Database, key: bigint): Promise<void> {
  await database.$executeRaw`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'it is being deleted' WHERE key = ${key}`
  let deleted: number
  do {
    deleted = await database.$executeRaw`
      DELETE FROM webhook_deliveries WHERE key IN (
        SELECT key FROM webhook_deliveries WHERE webhook_key = ${key} LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED)`
  } while (deleted === ROWS_AT_ONCE)
  await database.webhook.deleteMany({ where: { key } })
}
