import { idParams } from '@smsgw/contract/ids'
import { deliveryWithRequest } from '@smsgw/contract/webhook'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import { deliveryBody, headersOfAttempt, steadyHeaders } from '../delivery/delivery-request.ts'
import { mayReadEvent } from './may-read-event.ts'
import { deliveryAnswer, findDelivery, unknownDelivery } from './stored-delivery.ts'

/** Shows a delivery with its request. Signatures are not stored. */
export function showDelivery({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: deliveryWithRequest },
    async handle({ principal, params: { id } }) {
      const found = await findDelivery(database, principal.accountId, id)
      if (found === undefined) throw unknownDelivery()
      const { webhook, delivery } = found
      const request = {
        method: 'POST',
        url: webhook.url,
        headers: steadyHeaders(id),
        headersOfAttempt,
        ...(mayReadEvent(principal, delivery.event) && { body: deliveryBody(webhook.id, delivery) }),
        ...(isHashed(delivery) && { isHashed: true }),
      }
      return { status: 200, body: { ...deliveryAnswer(webhook.id, delivery), request } }
    },
  })
}

/** Payloads of hashed messages no longer contain a number. */
function isHashed({ event, payload }: { readonly event: string; readonly payload: unknown }): boolean {
  return /^sms:(sent|delivered|failed|cancelled)$/.test(event) && (payload as { recipient?: string }).recipient === ''
}
