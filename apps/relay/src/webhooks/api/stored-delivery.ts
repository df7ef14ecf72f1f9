import type { DeliveryAnswer, DeliveryState } from '@smsgw/contract/webhook'
import type { WebhookEvent } from '@smsgw/contract/webhook-event'
import { ApiError } from '../../http/api-error.ts'
import type { Database } from '../../store/database.ts'
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../../store/generated/client.ts'

interface FoundDelivery {
  readonly webhook: Pick<Webhook, 'key' | 'id' | 'url'>
  readonly delivery: WebhookDelivery & { readonly attemptRows: readonly WebhookAttempt[] }
}

/** Looks a delivery up by webhook and id, for which an index exists: an account has few webhooks. */
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
  return new ApiError(404, 'No delivery has this id: it may have been deleted by retention')
}

/** The API representation of a delivery, without the payload. */
export function deliveryAnswer(
  webhookId: string,
  delivery: WebhookDelivery & { readonly attemptRows: readonly WebhookAttempt[] },
): DeliveryAnswer {
  const { id, event, deviceId, state, droppedReason, createdAt, nextAttemptAt, finishedAt, attemptRows } = delivery
  return {
    id,
    webhookId,
    event: event as WebhookEvent,
    deviceId,
    state: state as DeliveryState,
    createdAt: createdAt.toISOString(),
    ...(state === 'waiting' && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(state === 'dropped' && droppedReason !== null && { droppedReason }),
    ...(finishedAt !== null && { finishedAt: finishedAt.toISOString() }),
    attemptCount: attemptRows.length,
    attempts: attemptRows.map(attemptAnswer),
  }
}

function attemptAnswer({ number, startedAt, durationMs, url, status, error, excerpt }: WebhookAttempt) {
  return {
    number,
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(url !== null && { url }),
    ...(status !== null && { status }),
    ...(error !== null && { error }),
    ...(excerpt !== null && { excerpt }),
  }
}
