import { idParams } from '@smsgw/contract/ids'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Database } from '../store/database.ts'

export interface DeleteWebhookNeeds {
  readonly database: Database
  readonly logbook: Logbook
}

/** With all its deliveries. One that is not there is deleted already. */
export function deleteWebhook({ database, logbook }: DeleteWebhookNeeds): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    async handle({ principal: { accountId }, params: { id } }) {
      const webhook = await database.webhook.findUnique({
        where: { accountId_id: { accountId, id } },
        select: { key: true },
      })
      if (webhook === null) return { status: 204 }
      await deleteWithDeliveries(database, webhook.key)
      const message = 'a webhook was deleted, with its deliveries'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 204 }
    },
  })
}

const ROWS_AT_ONCE = 5000

/**
 * Its history may hold millions of rows, more than one statement may take time for; the last few go with the webhook. It is
 * disabled first, so that nothing more is sent meanwhile.
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
