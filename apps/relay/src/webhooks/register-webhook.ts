import { type RegisterWebhookRequest, registerWebhookRequest, webhook } from '@smsgw/contract/webhook'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { refusal } from '../http/validation-error.ts'
import type { Logbook } from '../logs/logbook.ts'
import { newId, type Random } from '../random.ts'
import type { Database, Statements } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { type AddressRules, urlProblem } from './address-rules.ts'
import { webhookAnswer } from './webhook-answer.ts'
import { newWebhookSecret, sealWebhookSecret } from './webhook-secret.ts'

export interface RegisterWebhookNeeds {
  readonly database: Database
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
  readonly addressRules: AddressRules
}

export function registerWebhook({ database, random, box, logbook, addressRules }: RegisterWebhookNeeds): Endpoint {
  return endpoint({
    body: registerWebhookRequest,
    answers: { 201: webhook },
    errors: [409],
    async handle({ principal: { accountId }, body }) {
      const problem = urlProblem(body.url, addressRules)
      if (problem !== undefined) throw refusal([{ path: 'url', message: problem }], 'body')
      const secret = newWebhookSecret(random)
      const secretSealed = sealWebhookSecret(box, secret)
      const asked = { ...body, id: body.id ?? newId(random), deviceId: body.deviceId ?? null }
      const stored = await database.$transaction(async (statements) => {
        if (asked.deviceId !== null) await refuseForeignDevice(statements, accountId, asked.deviceId)
        await refuseTooMany(statements, accountId, asked.id)
        return insertOrReplace(statements, accountId, asked, secretSealed)
      })
      const message = stored.isNew ? 'a webhook was registered' : 'a webhook was replaced, and is enabled'
      const context = { webhookId: stored.id, event: stored.event }
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context })
      return { status: 201, body: { ...webhookAnswer(stored), ...(stored.isNew && { secret }) } }
    },
  })
}

async function refuseForeignDevice(statements: Statements, accountId: string, id: string): Promise<void> {
  const device = await statements.device.findFirst({ where: { id, accountId, deletedAt: null }, select: { id: true } })
  if (device !== null) return
  throw refusal([{ path: 'deviceId', message: 'is no device of this account: GET /devices lists them' }], 'body')
}

/** Each is told of every message: an account that had thousands would slow its own messages down. */
const MOST_WEBHOOKS = 50

/** Of two at once the second counts the first: the account is theirs in turn. */
async function refuseTooMany(statements: Statements, accountId: string, id: string): Promise<void> {
  await statements.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`
  const others = await statements.webhook.count({ where: { accountId, id: { not: id } } })
  if (others < MOST_WEBHOOKS) return
  throw new ApiError(
    409,
    `The account has ${MOST_WEBHOOKS} webhooks, which is the most: replace one by its id, or delete one`,
  )
}

type Asked = Omit<RegisterWebhookRequest, 'id' | 'deviceId'> & {
  readonly id: string
  readonly deviceId: string | null
}

interface Stored extends Asked {
  readonly disabledAt: null
  readonly disabledReason: null
  readonly isNew: boolean
}

/** One that is replaced keeps its secret and its history, and is enabled. One statement: two at once make one. */
async function insertOrReplace(
  statements: Statements,
  accountId: string,
  { id, url, event, deviceId }: Asked,
  secretSealed: string,
): Promise<Stored> {
  const [stored] = await statements.$queryRaw<[Stored]>`
    INSERT INTO webhooks (account_id, id, url, event, device_id, secret_sealed)
    VALUES (${accountId}, ${id}, ${url}, ${event}, ${deviceId}, ${secretSealed})
    ON CONFLICT (account_id, id) DO UPDATE SET url = excluded.url, event = excluded.event,
      device_id = excluded.device_id, updated_at = now(), disabled_at = NULL, disabled_reason = NULL,
      failing_since = NULL, paused_until = NULL, pauses = 0
    RETURNING id, url, event, device_id AS "deviceId", disabled_at AS "disabledAt",
      disabled_reason AS "disabledReason", xmax = 0 AS "isNew"`
  return stored
}
