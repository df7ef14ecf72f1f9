import { ApiError } from '../http/api-error.ts'
import type { Database } from '../store/database.ts'
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../store/generated/client.ts'

interface FoundDelivery {
  readonly webhook: Pick<Webhook, 'key' | 'id' | 'url'>
  readonly delivery: WebhookDelivery & { readonly attemptRows: readonly WebhookAttempt[] }
}

/** By webhook and id, of which there is an index: an account has few webhooks. */
export async function findDelivery(
  database: Database,
  accountId: string,
  id: string,
): Promise<FoundDelivery | undefined> {
  const webhooks = await database.webhook.findMany({ where: { accountId }, select: { key: true, id: true, url: true } })
  const delivery = await database.webhookDelivery.findFirst({
    where: { webhookKey: { in: webhooks.map(({ key }) => key) }, id },
    include: { attemptRows: { orderBy: { number: 'asc' } } },
  })
  const webhook = webhooks.find(({ key }) => key === delivery?.webhookKey)
  return delivery === null || webhook === undefined ? undefined : { webhook, delivery }
}

export function unknownDelivery(): ApiError {
  return new ApiError(404, 'There is no such delivery: it may be older than is kept')
}
