import { idParams } from '@smsgw/contract/ids'
import { webhook } from '@smsgw/contract/webhook'
import type { Clock } from '../../clock.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Logbook } from '../../logs/logbook.ts'
import type { Random } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhook-secret.ts'
import { findWebhook, webhookAnswer } from './stored-webhook.ts'

export interface RotateWebhookSecretDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
}

/** How long the previous secret stays valid next to the new one. */
const OVERLAP_MS = 86_400_000

export function rotateWebhookSecret({ database, clock, random, box, logbook }: RotateWebhookSecretDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: webhook },
    async handle({ principal: { accountId }, params: { id } }) {
      const { key, ...stored } = await findWebhook(database, accountId, id)
      const secret = newWebhookSecret(random)
      const until = new Date(clock.now().getTime() + OVERLAP_MS)
      // One statement, so that of two concurrent rotations each keeps the secret that the other returned.
      await database.$executeRaw`
        UPDATE webhooks SET previous_secret_sealed = secret_sealed, previous_secret_until = ${until},
          secret_sealed = ${sealWebhookSecret(box, secret)}, updated_at = now()
        WHERE account_id = ${accountId} AND key = ${key}`
      const message = 'webhook secret rotated'
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context: { webhookId: id } })
      return { status: 200, body: { ...webhookAnswer(stored), secret } }
    },
  })
}
