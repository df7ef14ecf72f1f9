import { refreshInboxRequest } from '@smsgw/contract/inbox'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { type RefreshInboxNeeds, refreshAs } from './refresh-inbox.ts'

/** The older name of a refresh: each message by itself, whatever is asked. */
export function exportInbox(needs: RefreshInboxNeeds): Endpoint {
  return endpoint({
    body: refreshInboxRequest,
    answers: { 202: z.strictObject({}) },
    deprecated: true,
    async handle({ principal, body }) {
      await refreshAs(needs, principal.accountId, { ...body, webhookDelivery: 'Individual' })
      return { status: 202, body: {}, headers: { Deprecation: 'true' } }
    },
  })
}
