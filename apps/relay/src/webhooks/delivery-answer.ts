import type { DeliveryAnswer, DeliveryState } from '@smsgw/contract/webhook'
import type { WebhookEvent } from '@smsgw/contract/webhook-event'
import type { WebhookAttempt, WebhookDelivery } from '../store/generated/client.ts'

/** A delivery as the API shows it: neither the payload nor the address that was called. */
export function deliveryAnswer(
  webhookId: string,
  delivery: WebhookDelivery & { readonly attemptRows: readonly WebhookAttempt[] },
): DeliveryAnswer {
  const { id, event, deviceId, state, createdAt, nextAttemptAt, finishedAt, attemptRows } = delivery
  return {
    id,
    webhookId,
    event: event as WebhookEvent,
    deviceId,
    state: state as DeliveryState,
    createdAt: createdAt.toISOString(),
    ...(state === 'waiting' && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(finishedAt !== null && { finishedAt: finishedAt.toISOString() }),
    attemptCount: attemptRows.length,
    attempts: attemptRows.map(attemptAnswer),
  }
}

function attemptAnswer({ number, startedAt, durationMs, status, error, excerpt }: WebhookAttempt) {
  return {
    number,
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(status !== null && { status }),
    ...(error !== null && { error }),
    ...(excerpt !== null && { excerpt }),
  }
}
