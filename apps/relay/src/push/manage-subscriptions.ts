import type { Scope } from '@smsgw/contract/access/scopes'
import { idParams } from '@smsgw/contract/fields/ids'
import {
  type PushSubscriptionAnswer,
  pushKey,
  pushSubscription,
  pushSubscriptionRequest,
  pushTestResult,
} from '@smsgw/contract/live/push'
import type { PushEvent } from '@smsgw/contract/live/push-event'
import { z } from 'zod'
import { hashOfSession } from '../auth/sessions/session-login.ts'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { fieldError } from '../http/errors/validation-error.ts'
import { mayDo, scopeRequired } from '../http/may-do.ts'
import { newId } from '../random.ts'
import type { Database, Statements } from '../store/database.ts'
import type { PushSubscription } from '../store/generated/client.ts'
import { type AddressRules, urlProblem } from '../webhooks/address-rules.ts'
import { lockRegistrations } from '../webhooks/api/lock-webhook-statement.ts'
import { isPublicKey } from './encrypt-push.ts'
import type { PushKeys } from './push-keys.ts'
import { isEnded } from './push-worker.ts'
import { type SendPushDeps, sendPush } from './send-push.ts'
import { sealSubscription } from './subscription-secrets.ts'

interface SubscriptionDeps {
  readonly database: Database
}

interface RegisterDeps extends SubscriptionDeps, Pick<CoreDeps, 'clock' | 'random' | 'box'> {
  readonly pushRules: AddressRules
}

/**
 * The largest number of subscriptions per account, because each event is stored and sent once for each subscription.
 */
const MOST_SUBSCRIPTIONS = 50

/** The scopes that allow a caller to read the content of a notification. */
const SCOPES: Readonly<Record<PushEvent, Scope>> = {
  'message.received': 'inbox:list',
  'message.failed': 'messages:list',
  'device.offline': 'devices:list',
}

export function showPushKey({ keys: { publicKey } }: { readonly keys: PushKeys }): Endpoint {
  return endpoint({
    answers: { 200: pushKey },
    handle: async () => ({ status: 200, body: { publicKey } }),
  })
}

/** Lists subscriptions, oldest first. */
export function listSubscriptions({ database }: SubscriptionDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(pushSubscription) },
    async handle({ principal: { accountId } }) {
      const rows = await database.pushSubscription.findMany({ where: { accountId }, orderBy: { createdAt: 'asc' } })
      return { status: 200, body: rows.map(subscriptionAnswer) }
    },
  })
}

/** Registers a browser, or replaces its earlier subscription. The subscription ends with the caller's access. */
export function registerSubscription({ database, clock, random, box, pushRules }: RegisterDeps): Endpoint {
  return endpoint({
    body: pushSubscriptionRequest,
    answers: { 201: pushSubscription },
    errors: [409],
    async handle({ principal, body }) {
      const { accountId } = principal
      const { endpoint: url, keys, events, showsText, language, name = null } = body
      const problem = urlProblem(url, pushRules)
      if (problem !== undefined) throw fieldError('endpoint', problem)
      if (!isPublicKey(Buffer.from(keys.p256dh, 'base64url')))
        throw fieldError('keys.p256dh', 'is not a public key on the curve P-256')
      refuseUnreadable(principal, events)
      const sealed = sealSubscription(box, url, keys)
      const { endpointHash, p256dh } = sealed
      const chosen = { ...sealed, service: new URL(url).host, events, showsText, language, name }
      const stored = await database.$transaction(async (statements) => {
        await refuseTooMany(statements, accountId, endpointHash)
        const owner = await ownerOf(statements, principal)
        // Removes the browser from other accounts, so that only the last user who signed in is notified. Only this
        // browser has this key.
        await statements.pushSubscription.deleteMany({ where: { endpointHash, p256dh, accountId: { not: accountId } } })
        return statements.pushSubscription.upsert({
          where: { accountId_endpointHash: { accountId, endpointHash } },
          create: { id: newId(random), accountId, createdAt: clock.now(), ...chosen, ...owner },
          update: { ...chosen, ...owner },
        })
      })
      return { status: 201, body: subscriptionAnswer(stored) }
    },
  })
}

export function deleteSubscription({ database }: SubscriptionDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    unknownId: 204,
    async handle({ principal: { accountId }, params: { id } }) {
      await database.pushSubscription.deleteMany({ where: { accountId, id } })
      return { status: 204 }
    },
  })
}

/** Sends a notification at once and answers with the result, so that a user sees why no notification arrives. */
export function testSubscription(deps: SubscriptionDeps & SendPushDeps): Endpoint {
  const { database, clock } = deps
  return endpoint({
    params: idParams,
    answers: { 200: pushTestResult },
    async handle({ principal: { accountId }, params: { id } }) {
      const stored = await database.pushSubscription.findFirst({ where: { accountId, id } })
      if (stored === null) throw new ApiError(404, 'No subscription has this id: see GET /push/subscriptions')
      const language = stored.language as PushSubscriptionAnswer['language']
      const outcome = await sendPush(deps, stored, { kind: 'test', language, count: 1, about: '' }, undefined)
      if (outcome.kind === 'broken-off') throw new ApiError(503, 'The relay is stopping: try again')
      if (outcome.kind === 'failed') return { status: 200, body: { isAccepted: false, error: outcome.error } }
      const { status } = outcome.reply
      if (isEnded(status)) await database.pushSubscription.deleteMany({ where: { accountId, id } })
      if (status < 200 || status > 299)
        return { status: 200, body: { isAccepted: false, error: `the push service answered ${status}` } }
      await database.pushSubscription.updateMany({ where: { accountId, id }, data: { lastSentAt: clock.now() } })
      return { status: 200, body: { isAccepted: true } }
    },
  })
}

function refuseUnreadable(principal: Principal, events: readonly PushEvent[]): void {
  const scope = events.map((event) => SCOPES[event]).find((one) => !mayDo(principal, one))
  if (scope !== undefined) throw scopeRequired(scope)
}

async function refuseTooMany(statements: Statements, accountId: string, endpointHash: string): Promise<void> {
  await lockRegistrations(statements, accountId)
  const others = await statements.pushSubscription.count({ where: { accountId, endpointHash: { not: endpointHash } } })
  if (others < MOST_SUBSCRIPTIONS) return
  throw new ApiError(
    409,
    `Notifications are already on in ${MOST_SUBSCRIPTIONS} browsers, the maximum for an account: turn off notifications in one of these browsers`,
  )
}

/** Returns the credentials of the caller. When they end, the subscription ends too. */
async function ownerOf(statements: Statements, { accountId, credentialVersion, session, tokenId, key }: Principal) {
  const token =
    tokenId === undefined
      ? null
      : await statements.token.findFirst({ where: { accountId, jti: tokenId }, select: { familyId: true } })
  return {
    credentialVersion: credentialVersion ?? null,
    sessionHash: session === undefined ? null : hashOfSession(session),
    familyId: token?.familyId ?? null,
    keyId: key?.id ?? null,
    keySecretHash: key?.secretHash ?? null,
  }
}

function subscriptionAnswer(stored: PushSubscription): PushSubscriptionAnswer {
  const { id, name, service, events, showsText, language, createdAt, lastSentAt } = stored
  return {
    id,
    ...(name !== null && { name }),
    service,
    events: events as PushEvent[],
    showsText,
    language: language as PushSubscriptionAnswer['language'],
    createdAt: createdAt.toISOString(),
    ...(lastSentAt !== null && { lastSentAt: lastSentAt.toISOString() }),
  }
}
