import { type RegisterWebhookRequest, registerWebhookRequest, webhook } from '@smsgw/contract/webhook'
import { ApiError } from '../../http/api-error.ts'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { refusal } from '../../http/validation-error.ts'
import type { Logbook } from '../../logs/logbook.ts'
import { newId, type Random } from '../../random.ts'
import type { Database, Statements } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { type AddressRules, urlProblem } from '../address-rules.ts'
import { newWebhookSecret, sealWebhookSecret } from '../webhook-secret.ts'
import { unreadableEvents } from './may-read-event.ts'
import { webhookAnswer } from './stored-webhook.ts'

export interface RegisterWebhookDeps {
  readonly database: Database
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
  readonly addressRules: AddressRules
}

export function registerWebhook({ database, random, box, logbook, addressRules }: RegisterWebhookDeps): Endpoint {
  return endpoint({
    body: registerWebhookRequest,
    answers: { 201: webhook },
    answerHeaders: {
      [DROPPED_HEADER]:
        'Number of pending deliveries that were dropped because the URL changed and the token may not read them; absent when 0',
    },
    errors: [409],
    async handle({ principal, body }) {
      const { accountId } = principal
      const problem = urlProblem(body.url, addressRules)
      if (problem !== undefined) throw refusal([{ path: 'url', message: problem }], 'body')
      const secret = newWebhookSecret(random)
      const secretSealed = sealWebhookSecret(box, secret)
      const requested = { ...body, id: body.id ?? newId(random), deviceId: body.deviceId ?? null }
      const stored = await database.$transaction(async (statements) => {
        if (requested.deviceId !== null) await refuseForeignDevice(statements, accountId, requested.deviceId)
        await refuseTooMany(statements, accountId, requested.id)
        const isMoved = await holdMoved(statements, accountId, requested)
        const stored = await insertOrReplace(statements, accountId, requested, secretSealed)
        const dropped = isMoved ? await dropUnreadable(statements, stored.key, principal) : 0
        return { ...stored, dropped }
      })
      const message = stored.isNew ? 'webhook registered' : 'webhook replaced and enabled'
      const context = { webhookId: stored.id, event: stored.event }
      logbook.write({ accountId, module: 'webhooks', priority: 'INFO', message, context })
      if (stored.dropped > 0) {
        const message =
          'pending deliveries for the earlier URL of a webhook dropped: redelivering them requires the scope to read them'
        const context = { webhookId: stored.id, deliveries: String(stored.dropped) }
        logbook.write({ accountId, module: 'webhooks', priority: 'WARN', message, context })
      }
      return {
        status: 201,
        body: { ...webhookAnswer(stored), ...(stored.isNew && { secret }) },
        ...(stored.dropped > 0 && { headers: { [DROPPED_HEADER]: String(stored.dropped) } }),
      }
    },
  })
}

const DROPPED_HEADER = 'X-Dropped-Deliveries'

async function refuseForeignDevice(statements: Statements, accountId: string, id: string): Promise<void> {
  const device = await statements.device.findFirst({ where: { id, accountId, deletedAt: null }, select: { id: true } })
  if (device !== null) return
  throw refusal([{ path: 'deviceId', message: 'is not a device of this account: GET /devices lists them' }], 'body')
}

/** Every message is delivered to each of them: thousands would slow down the account's own messages. */
const MOST_WEBHOOKS = 50

/** Locks the account, so that of two concurrent registrations the second counts the first. */
async function refuseTooMany(statements: Statements, accountId: string, id: string): Promise<void> {
  await statements.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`
  const others = await statements.webhook.count({ where: { accountId, id: { not: id } } })
  if (others < MOST_WEBHOOKS) return
  throw new ApiError(
    409,
    `The account has ${MOST_WEBHOOKS} webhooks, the maximum: replace one by its id, or delete one`,
  )
}

type RequestedMessage = Omit<RegisterWebhookRequest, 'id' | 'deviceId'> & {
  readonly id: string
  readonly deviceId: string | null
}

interface Stored extends RequestedMessage {
  readonly key: bigint
  readonly disabledAt: null
  readonly disabledReason: null
  readonly isNew: boolean
}

/**
 * Returns whether the URL of an existing webhook changes. Locks the webhook: nothing is redelivered to it before the
 * transaction ends, and events that are being stored for the earlier URL are complete.
 */
async function holdMoved(statements: Statements, accountId: string, { id, url }: RequestedMessage): Promise<boolean> {
  const [present] = await statements.$queryRaw<{ url: string }[]>`
    SELECT url FROM webhooks WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`
  return present !== undefined && present.url !== url
}

/** Drops deliveries for the earlier URL, so that they do not reach a URL chosen by a caller who may not read them. */
function dropUnreadable(statements: Statements, webhookKey: bigint, principal: Principal): Promise<number> {
  const unreadable = unreadableEvents(principal)
  const reasons = unreadable.map(
    ({ scopes }) =>
      `the URL of the webhook was changed with a token that may not read this event (scope required: ${scopes})`,
  )
  return statements.$executeRaw`
    UPDATE webhook_deliveries d SET state = 'dropped', finished_at = now(), dropped_reason = unreadable.reason
    FROM unnest(${unreadable.map(({ event }) => event)}::text[], ${reasons}::text[]) AS unreadable (event, reason)
    WHERE d.webhook_key = ${webhookKey} AND d.state = 'waiting' AND d.event = unreadable.event`
}

/**
 * A replaced webhook keeps its secret and its history and is enabled. One statement, so that two concurrent requests
 * create one webhook. A trigger records since which event it has its URL.
 */
async function insertOrReplace(
  statements: Statements,
  accountId: string,
  { id, url, event, deviceId }: RequestedMessage,
  secretSealed: string,
): Promise<Stored> {
  const [stored] = await statements.$queryRaw<[Stored]>`
    INSERT INTO webhooks (account_id, id, url, event, device_id, secret_sealed)
    VALUES (${accountId}, ${id}, ${url}, ${event}, ${deviceId}, ${secretSealed})
    ON CONFLICT (account_id, id) DO UPDATE SET url = excluded.url, event = excluded.event,
      device_id = excluded.device_id, updated_at = now(), disabled_at = NULL, disabled_reason = NULL,
      failing_since = NULL, paused_until = NULL, pauses = 0
    RETURNING key, id, url, event, device_id AS "deviceId", disabled_at AS "disabledAt",
      disabled_reason AS "disabledReason", xmax = 0 AS "isNew"`
  return stored
}
