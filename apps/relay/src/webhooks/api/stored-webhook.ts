import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { representativeEvent, type WebhookEventName } from '@smsgw/contract/webhooks/webhook-event'
import { ApiError } from '../../http/errors/api-error.ts'
import type { Statements } from '../../store/database.ts'
import type { Webhook } from '../../store/generated/client.ts'
import { readDeliveryProblem } from '../delivery-problem.ts'

/** Throws 404 when the account has no webhook with this id. */
export async function findWebhook(statements: Statements, accountId: string, id: string): Promise<Webhook> {
  const webhook = await statements.webhook.findUnique({ where: { accountId_id: { accountId, id } } })
  if (webhook === null) throw new ApiError(404, 'No webhook has this id: see GET /webhooks')
  return webhook
}

/** Throws 409 when the webhook is disabled. */
export function refuseDisabled({ disabledReason, disabledAt }: Pick<Webhook, 'disabledReason' | 'disabledAt'>): void {
  if (disabledAt === null) return
  const reason = disabledReason ?? 'no reason was recorded'
  throw new ApiError(409, `The webhook is disabled (${reason}): resume it, or register it again with its id`, {
    reason: 'webhook_disabled',
  })
}

interface StoredWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly name: string | null
  readonly format: string | null
  readonly heldSince: Date | null
  readonly deviceId: string | null
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
}

/** `heldSince` of a webhook that waits while its account moves to another cell. */
export const HELD_BY_MOVE = new Date(0)

/** Returns the time at which a user paused the webhook. */
export function pausedSince({ heldSince }: Pick<StoredWebhook, 'heldSince'>): Date | null {
  return heldSince?.getTime() === HELD_BY_MOVE.getTime() ? null : heldSince
}

/** Returns a webhook as the API shows it, without its secret. */
export function webhookAnswer(webhook: StoredWebhook): WebhookAnswer {
  const { id, url, name, format, deviceId, disabledAt, disabledReason } = webhook
  const pausedAt = pausedSince(webhook)
  const events = webhook.events as WebhookEventName[]
  return {
    id,
    url,
    event: representativeEvent(events),
    events,
    ...(name !== null && { name }),
    ...(format !== null && { format: format as NonNullable<WebhookAnswer['format']> }),
    deviceId,
    device_id: deviceId,
    ...(pausedAt !== null && { pausedAt: pausedAt.toISOString() }),
    ...(disabledAt !== null && { disabledAt: disabledAt.toISOString() }),
    ...(disabledReason !== null && disabled(disabledReason)),
  }
}

function disabled(disabledReason: string) {
  const { code, values } = readDeliveryProblem(disabledReason) ?? {}
  return { disabledReason, ...(code && { disabledCode: code }), ...(values && { disabledValues: values }) }
}
