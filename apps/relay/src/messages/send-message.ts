import {
  type MessageStateAnswer,
  messageState,
  type SendMessageQuery,
  type SendMessageRequest,
  sendMessageQuery,
  sendMessageRequest,
} from '@smsgw/contract/message'
import type { WakeHints } from '../agents/wake-hints.ts'
import type { Clock } from '../clock.ts'
import { crashPoint } from '../crash-point.ts'
import { ApiError } from '../http/api-error.ts'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import { type AcceptOutcome, acceptMessages, repeatOutcome } from './accept-messages.ts'
import { deviceRefusal } from './device-refusal.ts'
import { DeviceRoster, type Reservation } from './device-roster.ts'
import { groupAccepts } from './group-accepts.ts'
import { type IdempotencyKey, isIdempotencyKey, requestFingerprint } from './idempotency-key.ts'
import { acceptedAnswer, repeatedAnswer } from './message-answer.ts'
import type { NewMessage } from './new-message.ts'
import { type MessageRules, type PlannedMessage, planMessage } from './plan-message.ts'
import { isStatementError } from './statement-error.ts'
import { findTaken } from './taken-statement.ts'

interface SendMessageNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly hints: Pick<WakeHints, 'wake'>
  readonly rules: MessageRules
  /** Recipients that may wait for one device. */
  readonly queueLimit: number
  /** Each message, once. */
  readonly onAccepted?: (() => void) | undefined
}

interface Asked {
  readonly accountId: string
  readonly body: SendMessageRequest
  readonly query: SendMessageQuery
  readonly base: string
  readonly idempotency: IdempotencyKey | undefined
}

/**
 * Accepts a message: 202 means that it is on disk and will come to an end, whatever restarts.
 *
 * A request with an idempotency key that was accepted before gets the first answer again, also when it would be refused
 * by now because its time has passed or its device is gone.
 */
export function sendMessage(needs: SendMessageNeeds): Endpoint {
  const { database, clock, random, hints, rules } = needs
  const roster = new DeviceRoster(needs)
  const accept = groupAccepts({
    accept: (messages, patienceMs) => acceptMessages(database, messages, patienceMs),
    isAboutOne: isStatementError,
  })
  return endpoint({
    body: sendMessageRequest,
    query: sendMessageQuery,
    answers: { 202: messageState },
    errors: [409, 422, 503],
    requestHeaders: {
      'Idempotency-Key': 'The same key and request again gets the first answer again, and sends nothing',
    },
    async handle({ principal: { accountId }, body, query, headers, base }) {
      const asked = {
        accountId,
        body,
        query,
        base,
        idempotency: idempotencyOf(headers['idempotency-key'], body, query),
      }
      const now = clock.now()
      const plan = planMessage(body, query, rules, now)
      return plan.ok ? await place(asked, plan.planned, now) : await repeatedBefore(asked, plan.refusal)
    },
  })

  async function place(asked: Asked, planned: PlannedMessage, now: Date): Promise<Answer> {
    const room = await roster.reserve(asked.accountId, wishOf(asked), planned.numbers.length)
    if (!room.ok) return await repeatedBefore(asked, deviceRefusal(room.problem, asked.body))
    const message = newMessage(asked, planned, room.reservation.deviceId, now)
    const outcome = await settled(room.reservation, accept(message))
    if (outcome.kind === 'device-gone') {
      roster.forget(asked.accountId)
      return await place(asked, planned, now)
    }
    if (outcome.kind !== 'accepted') return refusedOrRepeated(outcome, asked)
    crashPoint('message-committed')
    needs.onAccepted?.()
    if (message.scheduleAt === undefined) hints.wake([message.deviceId])
    return answer202(acceptedAnswer(message), asked.base)
  }

  /** What is refused now may have been accepted before. */
  async function repeatedBefore(asked: Asked, refusal: ApiError): Promise<Answer> {
    if (asked.idempotency === undefined) throw refusal
    const [taken] = await findTaken(database, [{ ...asked, id: '' }])
    const outcome = taken && repeatOutcome(asked, taken)
    if (outcome === undefined) throw refusal
    return refusedOrRepeated(outcome, asked)
  }

  function newMessage(
    { accountId, body, idempotency }: Asked,
    { numbers, validUntil, scheduleAt }: PlannedMessage,
    deviceId: string,
    createdAt: Date,
  ): NewMessage {
    return {
      accountId,
      id: body.id ?? newId(random),
      deviceId,
      createdAt,
      content: body.content,
      isEncrypted: body.isEncrypted,
      simNumber: body.simNumber,
      withDeliveryReport: body.withDeliveryReport,
      priority: body.priority,
      validUntil,
      scheduleAt,
      recipients: numbers.map((phoneNumber) => ({ cmdId: newId(random), phoneNumber })),
      idempotency,
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

function wishOf({ body: { deviceId, simNumber }, query: { deviceActiveWithin } }: Asked) {
  return { deviceId, simNumber, activeWithinHours: deviceActiveWithin }
}

async function settled(reservation: Reservation, accepting: Promise<AcceptOutcome>): Promise<AcceptOutcome> {
  let isStored = false
  try {
    const outcome = await accepting
    isStored = outcome.kind === 'accepted'
    return outcome
  } finally {
    if (isStored) reservation.stored()
    else reservation.refused()
  }
}

type NotNew = Exclude<AcceptOutcome, { kind: 'accepted' | 'device-gone' }>

function refusedOrRepeated(outcome: NotNew, { body, base }: Asked): Answer {
  switch (outcome.kind) {
    case 'repeated': {
      const answer = answer202(repeatedAnswer(outcome.message), base)
      return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } }
    }
    case 'key-taken':
      throw new ApiError(422, 'This Idempotency-Key was used for another request: take a new key for a new message')
    case 'id-taken':
      throw new ApiError(409, `There is a message with the id ${body.id} already: give another id, or none`)
  }
}

function answer202(body: MessageStateAnswer, base: string): Answer {
  return { status: 202, body, headers: { Location: `${base}/messages/${encodeURIComponent(body.id)}` } }
}
