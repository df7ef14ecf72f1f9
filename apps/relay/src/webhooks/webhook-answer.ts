import type { WebhookAnswer } from '@smsgw/contract/webhook'
import type { WebhookEvent } from '@smsgw/contract/webhook-event'

interface StoredWebhook {
  readonly id: string
  readonly url: string
  readonly event: string
  readonly deviceId: string | null
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
}

/** A webhook as the API shows it, without its secret. */
export function webhookAnswer(webhook: StoredWebhook): WebhookAnswer {
  const { id, url, event, deviceId, disabledAt, disabledReason } = webhook
  return {
    id,
    url,
    event: event as WebhookEvent,
    deviceId,
    device_id: deviceId,
    ...(disabledAt !== null && { disabledAt: disabledAt.toISOString() }),
    ...(disabledReason !== null && { disabledReason }),
  }
}
