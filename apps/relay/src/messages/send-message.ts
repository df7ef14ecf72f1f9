import {
  type MessageStateAnswer,
  messageState,
  type SendMessageQuery,
  type SendMessageRequest,
  sendMessageQuery,
  sendMessageRequest,
} from '@smsgw/contract/message'
import { crashPoint } from '@smsgw/daemon/crash-point'
import { unauthorised } from '../auth/unauthorised.ts'
import type { Clock } from '../clock.ts'
import type { WakeHints } from '../hints/wake-hints.ts'
import { ApiError } from '../http/api-error.ts'
import { type Answer, type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { NewMessage } from './accept/accept-messages.ts'
import { type AcceptOutcome, repeatOutcome } from './accept/accept-messages.ts'
import { acceptInLanes } from './accept/accept-within-limits.ts'
import { type CheckedMessage, checkMessage, type MessageRules } from './accept/check-message.ts'
import { deviceRefusal } from './accept/choose-device.ts'
import { DeviceRoster, type Reservation } from './accept/device-roster.ts'
import { findDuplicates } from './accept/find-duplicates-statement.ts'
import { type IdempotencyKey, isIdempotencyKey, requestFingerprint } from './accept/idempotency-key.ts'
import { dailyRefusal, recipientRefusal, senderOf, simRefusal } from './accept/key-limits.ts'
import { acceptedAnswer, repeatedAnswer } from './message-answer.ts'

interface SendMessageDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly hints: Pick<WakeHints, 'wake'>
  readonly rules: MessageRules
  /** The largest number of unfinished recipients per device. */
  readonly queueLimit: number
  /** Uses emulated modems even in accounts with a real modem. */
  readonly mayMixEmulated?: boolean | undefined
  /** Called once per accepted message. */
  readonly onAccepted?: (() => void) | undefined
}

interface RequestedMessage {
  readonly principal: Principal
  readonly accountId: string
  readonly body: SendMessageRequest
  readonly query: SendMessageQuery
  readonly base: string
  readonly idempotency: IdempotencyKey | undefined
}

/**
 * Accepts a message. 202 means that the message is on disk and will reach a final state, whatever is restarted.
 *
 * A request with a known idempotency key gets the first answer again, even if the request would be refused now because
 * its time has passed or its device was deleted.
 */
export function sendMessage(deps: SendMessageDeps): Endpoint {
  const { database, clock, random, hints, rules } = deps
  const roster = new DeviceRoster(deps)
  const accept = acceptInLanes(database)
  return endpoint({
    body: sendMessageRequest,
    query: sendMessageQuery,
    answers: { 202: messageState },
    errors: [409, 422, 429, 503],
    answerHeaders: {
      Location: 'Path of the message',
      'Idempotency-Replayed': '`true` if this is the first answer to the key again and no new message was accepted',
    },
    requestHeaders: {
      'Idempotency-Key': 'A repeated request with the same key gets the first answer again and sends nothing',
    },
    async handle({ principal, body, query, headers, base }) {
      const requested = {
        principal,
        accountId: principal.accountId,
        body,
        query,
        base,
        idempotency: idempotencyOf(headers['idempotency-key'], body, query),
      }
      const now = clock.now()
      const plan = checkMessage(body, query, rules, now)
      if (!plan.ok) return await repeatedBefore(requested, plan.refusal)
      const refusal = recipientRefusal(principal, body, plan.planned.numbers)
      return refusal ? await repeatedBefore(requested, refusal) : await place(requested, plan.planned, now)
    },
  })

  async function place(requested: RequestedMessage, planned: CheckedMessage, now: Date): Promise<Answer> {
    const reserved = await roster.reserve(requested.accountId, criteriaOf(requested), planned.numbers.length)
    if (!reserved.ok) {
      const { problem } = reserved
      const isLimit = problem === 'sim-not-allowed'
      const refusal = isLimit ? simRefusal(requested.principal) : deviceRefusal(problem, requested.body)
      return await repeatedBefore(requested, refusal)
    }
    const message = newMessage(requested, planned, reserved.reservation, now)
    const outcome = await settled(reserved.reservation, accept(message))
    if (outcome.kind === 'device-gone') {
      roster.forget(requested.accountId)
      return await place(requested, planned, now)
    }
    if (outcome.kind === 'over-daily-limit') throw dailyRefusal(message.sentBy, { used: outcome.used, now })
    if (outcome.kind === 'key-gone') throw unauthorised('key', 'the API key was revoked during the request')
    if (outcome.kind !== 'accepted') return refusedOrRepeated(outcome, requested)
    crashPoint('message-committed')
    deps.onAccepted?.()
    if (message.scheduleAt === undefined) hints.wake([message.deviceId])
    return answer202(acceptedAnswer(message), requested.base)
  }

  /** A request that would be refused now may have been accepted before. */
  async function repeatedBefore(requested: RequestedMessage, refusal: ApiError): Promise<Answer> {
    if (requested.idempotency === undefined) throw refusal
    const [taken] = await findDuplicates(database, [{ ...requested, id: '' }])
    const outcome = taken && repeatOutcome(requested, taken)
    if (outcome === undefined) throw refusal
    return refusedOrRepeated(outcome, requested)
  }

  function newMessage(
    { principal, accountId, body, idempotency }: RequestedMessage,
    { numbers, validUntil, scheduleAt }: CheckedMessage,
    { deviceId, simNumber }: Pick<Reservation, 'deviceId' | 'simNumber'>,
    createdAt: Date,
  ): NewMessage {
    return {
      accountId,
      id: body.id ?? newId(random),
      deviceId,
      createdAt,
      content: body.content,
      isEncrypted: body.isEncrypted,
      simNumber,
      withDeliveryReport: body.withDeliveryReport,
      priority: body.priority,
      validUntil,
      scheduleAt,
      onUncertain: body.onUncertain,
      recipients: numbers.map((phoneNumber) => ({ cmdId: newId(random), phoneNumber })),
      idempotency,
      sentBy: senderOf(principal),
    }
  }
}

function idempotencyOf(
  key: string | undefined,
  body: SendMessageRequest,
  query: SendMessageQuery,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined
  if (isIdempotencyKey(key)) return { key, fingerprint: requestFingerprint({ body, query }) }
  throw new ApiError(400, 'The header Idempotency-Key must be 1 to 255 printable ASCII characters')
}

function criteriaOf({ principal, body, query }: RequestedMessage) {
  const { deviceId, simNumber, content, isEncrypted } = body
  const capability = isEncrypted && content.kind === 'data' ? ('encrypted-data' as const) : undefined
  const allowedSims = principal.key?.limits.sims
  return { deviceId, simNumber, allowedSims, capability, activeWithinHours: query.deviceActiveWithin }
}

async function settled(reservation: Reservation, accepting: Promise<AcceptOutcome>): Promise<AcceptOutcome> {
  let isStored = false
  try {
    const outcome = await accepting
    isStored = outcome.kind === 'accepted'
    return outcome
  } finally {
    reservation.end(isStored)
  }
}

type NotNew = Exclude<AcceptOutcome, { kind: 'accepted' | 'device-gone' | 'over-daily-limit' | 'key-gone' }>

function refusedOrRepeated(outcome: NotNew, { body, base }: RequestedMessage): Answer {
  switch (outcome.kind) {
    case 'repeated': {
      const answer = answer202(repeatedAnswer(outcome.message), base)
      return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } }
    }
    case 'key-taken':
      throw new ApiError(422, 'This Idempotency-Key was used for a different request: use a new key for a new message')
    case 'id-taken':
      throw new ApiError(409, `A message with the id ${body.id} already exists: use another id, or leave it out`)
  }
}

function answer202(body: MessageStateAnswer, base: string): Answer {
  return { status: 202, body, headers: { Location: `${base}/messages/${encodeURIComponent(body.id)}` } }
}
