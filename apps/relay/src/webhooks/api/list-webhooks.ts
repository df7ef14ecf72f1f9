import { webhook } from '@smsgw/contract/webhook'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import { webhookAnswer } from './stored-webhook.ts'

/** Lists webhooks, oldest first. */
export function listWebhooks({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    answers: { 200: z.array(webhook) },
    async handle({ principal: { accountId } }) {
      const webhooks = await database.webhook.findMany({ where: { accountId }, orderBy: { key: 'asc' } })
      return { status: 200, body: webhooks.map(webhookAnswer) }
    },
  })
}
