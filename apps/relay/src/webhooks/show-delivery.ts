import { idParams } from '@smsgw/contract/ids'
import type { Scope } from '@smsgw/contract/scopes'
import { deliveryWithRequest } from '@smsgw/contract/webhook'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'
import type { Database } from '../store/database.ts'
import { deliveryBody } from './delivery/delivery-body.ts'
import { headersOfAttempt, steadyHeaders } from './delivery/delivery-headers.ts'
import { deliveryAnswer } from './delivery-answer.ts'
import { findDelivery, unknownDelivery } from './find-delivery.ts'

/** One delivery with the request that is made of it; its signatures are not kept. */
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
        ...(mayRead(principal, delivery.event) && { body: deliveryBody(webhook.id, delivery) }),
        ...(isHashed(delivery) && { isHashed: true }),
      }
      return { status: 200, body: { ...deliveryAnswer(webhook.id, delivery), request } }
    },
  })
}

/** What a payload holds is shown to those alone who may read it elsewhere too. */
function mayRead(principal: Principal, event: string): boolean {
  const scopes = scopesOf(event)
  return scopes.length === 0 || scopes.some((scope) => mayDo(principal, scope))
}

function scopesOf(event: string): readonly Scope[] {
  if (/:(received|data-received|downloaded)$/.test(event)) return ['inbox:list']
  return event.startsWith('sms:') ? ['messages:list', 'messages:read'] : []
}

/** Numbers of messages may be replaced by hashes, and are then gone from what was told of them too. */
function isHashed({ event, payload }: { readonly event: string; readonly payload: unknown }): boolean {
  return /^sms:(sent|delivered|failed|cancelled)$/.test(event) && (payload as { recipient?: string }).recipient === ''
}
