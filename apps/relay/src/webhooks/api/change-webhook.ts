import { idParams } from '@smsgw/contract/fields/ids'
import { changeWebhookRequest, webhook } from '@smsgw/contract/webhooks/webhook'
import type { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Prisma } from '../../store/generated/client.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { dropUnreadable } from './drop-unreadable-statement.ts'
import { lockUrl } from './lock-webhook-statement.ts'
import type { RegisterWebhookDeps } from './manage-webhooks.ts'
import { unreadableEvents } from './may-read-event.ts'
import { findWebhook, pausedSince, webhookAnswer } from './stored-webhook.ts'
import { refuseFormatChange } from './twilio-format.ts'
import { DROPPED_HEADERS, droppedHeaders, refuseBadUrl, refuseForeignDevice } from './webhook-change.ts'

type Change = z.output<typeof changeWebhookRequest>

/**
 * Changes the given members of a webhook. A changed URL has the same effects as in `registerWebhook`: deliveries that
 * the caller may not read are dropped, and a disabled webhook is enabled.
 */
export function changeWebhook(deps: RegisterWebhookDeps & { readonly outbox: Outbox }): Endpoint {
  const { database, clock, logbook, addressRules, outbox } = deps
  return endpoint({
    params: idParams,
    body: changeWebhookRequest,
    answers: { 200: webhook },
    errors: [409],
    answerHeaders: DROPPED_HEADERS,
    async handle({ principal, params: { id }, body }) {
      const { accountId } = principal
      if (body.url !== undefined) refuseBadUrl(body.url, addressRules)
      const { stored, dropped } = await database.$transaction(async (statements) => {
        if (body.deviceId) await refuseForeignDevice(statements, accountId, body.deviceId)
        await lockUrl(statements, accountId, id)
        const before = await findWebhook(statements, accountId, id)
        refuseFormatChange(principal, before, body)
        const isMoved = body.url !== undefined && body.url !== before.url
        const isEnabled = isMoved || body.paused === false
        const stored = await statements.webhook.update({
          where: { key: before.key },
          data: {
            ...changedMembers(body),
            ...(body.paused !== undefined && { heldSince: body.paused ? (pausedSince(before) ?? clock.now()) : null }),
            ...(isEnabled && ENABLED),
            updatedAt: clock.now(),
          },
        })
        return {
          stored,
          dropped: isMoved ? await dropUnreadable(statements, stored.key, unreadableEvents(principal)) : 0,
        }
      })
      const message = body.paused === undefined ? 'webhook changed' : `webhook ${body.paused ? 'paused' : 'resumed'}`
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      outbox.wake()
      return {
        status: 200,
        body: webhookAnswer(stored),
        headers: droppedHeaders({ logbook, accountId, webhookId: id, dropped }),
      }
    },
  })
}

const ENABLED = { disabledAt: null, disabledReason: null, failingSince: null, pausedUntil: null, pauses: 0 }

function changedMembers({ url, events, name, deviceId }: Change): Prisma.WebhookUpdateInput {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { event: events[0], events: [...events] }),
    ...(name !== undefined && { name: name || null }),
    ...(deviceId !== undefined && { deviceId: deviceId || null }),
  }
}
