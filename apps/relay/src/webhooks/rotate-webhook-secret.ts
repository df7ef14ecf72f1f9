import { idParams } from '@smsgw/contract/ids'
import { webhook } from '@smsgw/contract/webhook'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { findWebhook } from './find-webhook.ts'
import { webhookAnswer } from './webhook-answer.ts'
import { newWebhookSecret, sealWebhookSecret } from './webhook-secret.ts'

export interface RotateWebhookSecretNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
}

/** So long the secret before goes on being used beside the new one. */
const OVERLAP_MS = 86_400_000

export function rotateWebhookSecret({ database, clock, random, box, logbook }: RotateWebhookSecretNeeds): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: webhook },
    async handle({ principal: { accountId }, params: { id } }) {
      const { key, ...stored } = await findWebhook(database, accountId, id)
      const secret = newWebhookSecret(random)
      const until = new Date(clock.now().getTime() + OVERLAP_MS)
      // In one statement: of two at once each keeps the secret that the other one gave out.
      await database.$executeRaw`
        UPDATE webhooks SET previous_secret_sealed = secret_sealed, previous_secret_until = ${until},
          secret_sealed = ${sealWebhookSecret(box, secret)}, updated_at = now()
        WHERE account_id = ${accountId} AND key = ${key}`
      const message = 'a webhook has a new secret'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 200, body: { ...webhookAnswer(stored), secret } }
    },
  })
}
