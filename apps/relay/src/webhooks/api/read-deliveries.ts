import { idParams } from '@smsgw/contract/fields/ids'
import {
  type DeliveryAnswer,
  type DeliveryState,
  delivery,
  deliveryStates,
  deliveryWithRequest,
  listDeliveriesQuery,
} from '@smsgw/contract/webhooks/webhook'
import type { WebhookEventName } from '@smsgw/contract/webhooks/webhook-event'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { ALL_ROWS, readPage } from '../../http/page.ts'
import type { Database } from '../../store/database.ts'
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../../store/generated/client.ts'
import { countList } from '../../store/list-counts/list-counts-statement.ts'
import { deliveryBody, headersOfAttempt, steadyHeaders } from '../delivery/delivery-request.ts'
import { twilioHeadersOfAttempt, twilioRequest } from '../delivery/twilio-request.ts'
import { attemptError, readDeliveryProblem } from '../delivery-problem.ts'
import { countDeliveries, findDeliveryAt } from './count-deliveries.ts'
import { mayReadEvent } from './may-read-event.ts'
import { type ListedDelivery, readDeliveries } from './read-deliveries-statement.ts'
import { findWebhook } from './stored-webhook.ts'

/** Lists the deliveries of a webhook, newest first. */
export function listDeliveries({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    query: listDeliveriesQuery,
    answers: { 200: z.array(delivery) },
    async handle({ principal: { accountId }, params: { id }, query, url }) {
      const webhook = await findWebhook(database, accountId, id)
      const states = query.state === undefined ? deliveryStates : [query.state]
      const filter = { webhookKey: webhook.key, states, from: query.from, to: query.to }
      const { rows, headers } = await readPage(query, url, {
        read: (part) => readDeliveries(database, filter, part),
        count: async () => {
          const isCounted = query.from === undefined && query.to === undefined
          const owner = String(webhook.key)
          const stored = isCounted ? await countList(database, { list: 'deliveries', owner, kinds: states }) : undefined
          if (stored !== undefined) return { count: stored, isExact: true }
          return await countDeliveries(database, filter, isCounted ? ALL_ROWS : undefined)
        },
        positionAt: (offset) => findDeliveryAt(database, filter, offset),
      })
      return { status: 200, body: rows.map((row) => deliveryAnswer(id, row)), headers }
    },
  })
}

interface ShowDeliveryDeps {
  readonly database: Database
  readonly publicUrl?: string | undefined
}

/** Shows a delivery with its request. Signatures are not stored. */
export function showDelivery({ database, publicUrl }: ShowDeliveryDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: deliveryWithRequest },
    async handle({ principal, params: { id } }) {
      const { webhook, stored } = await findDelivery(database, principal.accountId, id)
      const { body, ...unsigned } = requestOf(webhook, stored, publicUrl)
      const request = {
        method: 'POST',
        ...unsigned,
        ...(mayReadEvent(principal, stored.event) && { body }),
        ...(isHashed(stored) && { isHashed: true }),
      }
      return {
        status: 200,
        body: { ...deliveryAnswer(webhook.id, { ...stored, attempts: stored.attemptRows }), request },
      }
    },
  })
}

/** The request without its signatures. */
function requestOf(webhook: FoundDelivery['webhook'], stored: StoredDelivery, publicUrl: string | undefined) {
  const { id } = stored
  if (webhook.format !== null)
    return { ...twilioRequest({ ...stored, url: webhook.url, publicUrl }), headersOfAttempt: twilioHeadersOfAttempt }
  return { url: webhook.url, headers: steadyHeaders(id), headersOfAttempt, body: deliveryBody(webhook.id, stored) }
}

interface FoundDelivery {
  readonly webhook: Pick<Webhook, 'key' | 'id' | 'url' | 'format'>
  readonly stored: StoredDelivery
}

type StoredDelivery = WebhookDelivery & { readonly attemptRows: readonly WebhookAttempt[] }

/**
 * Searches each webhook of the account for the delivery, because the index begins with the webhook, and an account has
 * few webhooks.
 */
async function findDelivery(database: Database, accountId: string, id: string): Promise<FoundDelivery> {
  const webhooks = await database.webhook.findMany({
    where: { accountId },
    select: { key: true, id: true, url: true, format: true },
  })
  const stored = await database.webhookDelivery.findFirst({
    where: { webhookKey: { in: webhooks.map(({ key }) => key) }, id },
    include: { attemptRows: { orderBy: { number: 'asc' } } },
  })
  const webhook = webhooks.find(({ key }) => key === stored?.webhookKey)
  if (stored === null || webhook === undefined) throw unknownDelivery()
  return { webhook, stored }
}

export function unknownDelivery(): ApiError {
  return new ApiError(404, 'No delivery has this id. Old deliveries are deleted after the retention period.')
}

/** Returns true for payloads of hashed messages, which do not contain a number any more. */
function isHashed({ event, payload }: { readonly event: string; readonly payload: unknown }): boolean {
  return /^sms:(sent|delivered|failed|cancelled)$/.test(event) && (payload as { recipient?: string }).recipient === ''
}

type ShownAttempt = Omit<NonNullable<ListedDelivery['attempts']>[number], 'startedAt'> & {
  readonly startedAt: Date | string
}
type ShownDelivery = Omit<ListedDelivery, 'key' | 'attempts'> & { readonly attempts: readonly ShownAttempt[] | null }

/** Returns a delivery as the API shows it, without the payload. */
function deliveryAnswer(webhookId: string, stored: ShownDelivery): DeliveryAnswer {
  const { id, event, deviceId, state, droppedReason, createdAt, nextAttemptAt, finishedAt } = stored
  const attempts = stored.attempts ?? []
  return {
    id,
    webhookId,
    event: event as WebhookEventName,
    deviceId,
    state: state as DeliveryState,
    createdAt: createdAt.toISOString(),
    ...(state === 'waiting' && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(state === 'dropped' && droppedReason !== null && dropped(droppedReason)),
    ...(finishedAt !== null && { finishedAt: finishedAt.toISOString() }),
    attemptCount: attempts.length,
    attempts: attempts.map(attemptAnswer),
  }
}

function dropped(droppedReason: string) {
  const { code, values } = readDeliveryProblem(droppedReason) ?? {}
  return { droppedReason, ...(code && { droppedCode: code }), ...(values && { droppedValues: values }) }
}

function attemptAnswer({ number, startedAt, durationMs, url, status, error, excerpt }: ShownAttempt) {
  return {
    number,
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    ...(url !== null && { url }),
    ...(status !== null && { status }),
    ...(error !== null && attemptError(error)),
    ...(excerpt !== null && { excerpt }),
  }
}
