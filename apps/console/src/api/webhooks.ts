import type {
  DeliveryAnswer,
  DeliveryState,
  DeliveryWithRequest,
  WebhookAnswer,
} from '@smsgw/contract/webhooks/webhook'
import type { WebhookEventName } from '@smsgw/contract/webhooks/webhook-event'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { refresh, useNewestFirst } from './live/newest-first.ts'
import { ask, get, queryString } from './request/ask.ts'

const path = (id: string) => `/webhooks/${encodeURIComponent(id)}`

export function useWebhooks() {
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => get<readonly WebhookAnswer[]>('/webhooks', signal),
  })
}

export interface NewWebhook {
  readonly id?: string
  readonly url: string
  readonly events: readonly WebhookEventName[]
  readonly name?: string
  readonly deviceId?: string
  readonly format?: 'twilio'
}

export interface WebhookChange extends Partial<NewWebhook> {
  readonly id: string
  readonly paused?: boolean
}

export function useChangeWebhook() {
  return useChange(
    async ({ id, ...change }: WebhookChange) => (await ask<WebhookAnswer>('PATCH', path(id), change)).body,
    ['webhooks', 'deliveries'],
  )
}

export function useRegisterWebhook() {
  return useChange(
    async (webhook: NewWebhook) => (await ask<WebhookAnswer>('POST', '/webhooks', webhook)).body,
    ['webhooks'],
  )
}

export function useDeleteWebhook() {
  return useChange((id: string) => ask('DELETE', path(id)), ['webhooks'])
}

export function useTestWebhook() {
  return useChange((id: string) => ask('POST', `${path(id)}/test`), ['deliveries'])
}

export function useRotateSecret() {
  return useChange(async (id: string) => (await ask<WebhookAnswer>('POST', `${path(id)}/secret`)).body, [])
}

export function useRedeliver() {
  return useChange(
    (deliveryId: string) => ask('POST', `/webhooks/deliveries/${encodeURIComponent(deliveryId)}/redeliver`),
    ['deliveries'],
  )
}

export interface DeliveryRange {
  readonly from: string
  readonly to: string
  readonly state?: DeliveryState
}

export function useRedeliverRange(id: string) {
  return useChange((range: DeliveryRange) => ask('POST', `${path(id)}/redeliver`, range), ['deliveries'])
}

export interface DeliveryFilter {
  readonly state?: DeliveryState
  readonly from?: string
  readonly to?: string
}

/** Lists deliveries, newest first. */
export function useDeliveries(id: string, filter: DeliveryFilter = {}, limit = 50) {
  return useNewestFirst<DeliveryAnswer>({
    queryKey: ['deliveries', id, filter, limit],
    firstCursor: 'start',
    read: (cursor, signal) =>
      ask('GET', `${path(id)}/deliveries${queryString({ ...filter, limit, cursor })}`, undefined, signal),
    idOf: (delivery) => delivery.id,
    nameOf: (delivery) => delivery.id,
  })
}

/** One delivery with its request. */
export function useDelivery(webhookId: string, id: string) {
  return useQuery({
    queryKey: ['deliveries', webhookId, id],
    queryFn: ({ signal }) => get<DeliveryWithRequest>(`/webhooks/deliveries/${encodeURIComponent(id)}`, signal),
  })
}

function useChange<Input, Output>(change: (input: Input) => Promise<Output>, makesOld: readonly string[]) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      refresh(
        client,
        makesOld.map((key) => [key]),
      ),
  })
}
