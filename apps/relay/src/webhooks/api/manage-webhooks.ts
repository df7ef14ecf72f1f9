import { idParams } from '@smsgw/contract/fields/ids'
import { registerWebhookRequest, webhook } from '@smsgw/contract/webhooks/webhook'
import { z } from 'zod'
import type { CoreDeps } from '../../core-deps.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { newId } from '../../random.ts'
import type { Statements } from '../../store/database.ts'
import type { AddressRules } from '../address-rules.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhook-secret.ts'
import { deleteWithDeliveries } from './delete-webhook-statement.ts'
import { dropUnreadable } from './drop-unreadable-statement.ts'
import { lockRegistrations, lockUrl } from './lock-webhook-statement.ts'
import { unreadableEvents } from './may-read-event.ts'
import { putWebhook } from './put-webhook-statement.ts'
import { rotateSecret } from './rotate-secret-statement.ts'
import { findWebhook, webhookAnswer } from './stored-webhook.ts'
import { refuseReplies } from './twilio-format.ts'
import { DROPPED_HEADERS, droppedHeaders, refuseBadUrl, refuseForeignDevice } from './webhook-change.ts'

type WebhookDeps = CoreDeps

/** Lists webhooks, oldest first. */
export function listWebhooks({ database }: WebhookDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(webhook) },
    async handle({ principal: { accountId } }) {
      const webhooks = await database.webhook.findMany({ where: { accountId }, orderBy: { key: 'asc' } })
      return { status: 200, body: webhooks.map(webhookAnswer) }
    },
  })
}

export interface RegisterWebhookDeps extends WebhookDeps {
  readonly addressRules: AddressRules
}

export function registerWebhook({ database, random, box, logbook, addressRules }: RegisterWebhookDeps): Endpoint {
  return endpoint({
    body: registerWebhookRequest,
    answers: { 201: webhook },
    answerHeaders: DROPPED_HEADERS,
    errors: [409],
    async handle({ principal, body }) {
      const { accountId } = principal
      refuseBadUrl(body.url, addressRules)
      if (body.format === 'twilio') refuseReplies(principal, body.events)
      const secret = newWebhookSecret(random)
      const secretSealed = sealWebhookSecret(box, secret)
      const requested = { ...body, id: body.id ?? newId(random), deviceId: body.deviceId ?? null }
      const { stored, dropped } = await database.$transaction(async (statements) => {
        if (requested.deviceId !== null) await refuseForeignDevice(statements, accountId, requested.deviceId)
        await refuseTooMany(statements, accountId, requested.id)
        const urlBefore = await lockUrl(statements, accountId, requested.id)
        const stored = await putWebhook(statements, accountId, requested, secretSealed)
        const isMoved = urlBefore !== undefined && urlBefore !== requested.url
        return {
          stored,
          dropped: isMoved ? await dropUnreadable(statements, stored.key, unreadableEvents(principal)) : 0,
        }
      })
      const message = stored.isNew ? 'webhook registered' : 'webhook replaced and enabled'
      const context = { webhookId: stored.id, events: stored.events.join(', ') }
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context })
      return {
        status: 201,
        body: { ...webhookAnswer(stored), ...(stored.isNew && { secret }) },
        headers: droppedHeaders({ logbook, accountId, webhookId: stored.id, dropped }),
      }
    },
  })
}

/**
 * Leaves out webhooks that were created for a message with its own status address, because these webhooks have another
 * limit.
 */
const notStatus = { OR: [{ format: null }, { format: 'twilio' }] }

/**
 * The largest number of webhooks. With thousands of webhooks, the messages of the account would be slow, because each
 * event is stored once for each webhook.
 */
const MOST_WEBHOOKS = 50

async function refuseTooMany(statements: Statements, accountId: string, id: string): Promise<void> {
  await lockRegistrations(statements, accountId)
  const others = await statements.webhook.count({ where: { accountId, id: { not: id }, ...notStatus } })
  if (others < MOST_WEBHOOKS) return
  throw new ApiError(
    409,
    `The account has ${MOST_WEBHOOKS} webhooks, the maximum: replace one by its id, or delete one`,
    { reason: 'too_many_webhooks', values: { maximum: MOST_WEBHOOKS } },
  )
}

/** Deletes a webhook with its deliveries. Also answers 204 when the webhook does not exist. */
export function deleteWebhook({ database, logbook }: WebhookDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    unknownId: 204,
    async handle({ principal: { accountId }, params: { id } }) {
      const stored = await database.webhook.findUnique({
        where: { accountId_id: { accountId, id } },
        select: { key: true },
      })
      if (stored === null) return { status: 204 }
      await deleteWithDeliveries(database, stored.key)
      const message = 'webhook and its deliveries deleted'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 204 }
    },
  })
}

/** How long the previous secret remains valid in addition to the new secret. */
const OVERLAP_MS = 86_400_000

export function rotateWebhookSecret({ database, clock, random, box, logbook }: WebhookDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: webhook },
    async handle({ principal: { accountId }, params: { id } }) {
      const stored = await findWebhook(database, accountId, id)
      const secret = newWebhookSecret(random)
      const previousUntil = new Date(clock.now().getTime() + OVERLAP_MS)
      await rotateSecret(database, stored.key, sealWebhookSecret(box, secret), previousUntil)
      const message = 'webhook secret rotated'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 200, body: { ...webhookAnswer(stored), secret } }
    },
  })
}
