// Outbound path, step 2: checks numbers and text, chooses the device. Next: accept-messages.ts.

import { isNumberAlias } from '@smsgw/contract/devices/number-alias'
import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import type { Capability } from '@smsgw/contract/link/frame'
import { needsPrivateKey } from '@smsgw/contract/messages/encrypted-field'
import type { MessageStateAnswer, SendMessageQuery, SendMessageRequest } from '@smsgw/contract/messages/message'
import { type AttachmentOctets, mmsValues } from '@smsgw/contract/messages/mms'
import { crashPoint } from '@smsgw/daemon/crash-point'
import { unauthorised } from '../../auth/unauthorised.ts'
import type { Clock } from '../../clock.ts'
import type { WakeHints } from '../../hints/wake-hints.ts'
import type { Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { newTimedId, type Random } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import { acceptedAnswer, repeatedAnswer } from '../message-answer.ts'
import type { AcceptOutcome, NewMessage } from './accept-messages.ts'
import { isUrgent, repeatOutcome } from './accept-messages.ts'
import { acceptWithinLimits, type ClaimAlongWith } from './accept-within-limits.ts'
import { aliasDevice } from './alias-device.ts'
import { type CheckedMessage, checkMessage, type MessageRules } from './check-message.ts'
import { deviceRefusal } from './choose-device.ts'
import { DeviceRoster, type Reservation } from './device-roster.ts'
import { findDuplicates } from './find-duplicates-statement.ts'
import { type IdempotencyKey, isIdempotencyKey, requestFingerprint } from './idempotency-key.ts'
import { dailyRefusal, limitedSenderOf, ReplyLimitError, recipientRefusal, simRefusal } from './key-limits.ts'

export interface AcceptRequestDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly hints: Pick<WakeHints, 'wakeForSend'>
  readonly claimAlong?: ClaimAlongWith | undefined
  readonly rules: MessageRules
  /** The largest number of unfinished recipients per device. */
  readonly queueLimit: number
  /** True if virtual modems may be used even in accounts with a real modem. */
  readonly mayMixEmulated?: boolean | undefined
  /** Called once per accepted message. */
  readonly onAccepted?: (() => void) | undefined
}

/** A request to send a message, checked by its schema. */
export interface SendRequest {
  readonly principal: Principal
  readonly body: SendMessageRequest
  readonly query: SendMessageQuery
  /** A repeated request with the same key is accepted only once. */
  readonly idempotencyKey: string | undefined
  /** The content that must be equal in requests with one key. Default: body and query without `allowShortCodes`. */
  readonly identity?: unknown
  /** URL that receives the states of the message in Twilio's format. */
  readonly statusCallback?: string | undefined
}

export interface AcceptedRequest {
  readonly message: MessageStateAnswer
  /** True if no new message was accepted, and this repeats the first answer for the idempotency key. */
  readonly isRepeated: boolean
}

/** Accepts a message, or throws an `ApiError` with the reason for refusing it. */
export type AcceptRequest = (request: SendRequest) => Promise<AcceptedRequest>

interface RequestedMessage extends SendRequest {
  readonly accountId: string
  /** The device that the request names, or the device that reported the aliases in it. */
  readonly deviceId: string | undefined
  readonly idempotency: IdempotencyKey | undefined
}

/**
 * Builds the only function that adds messages to the queue. An accepted message is on disk and will reach a final
 * state, even after restarts.
 *
 * A request with a known idempotency key gets the first answer again, even if a new request would be refused because
 * its time has passed or its device was deleted.
 */
export function acceptRequests(deps: AcceptRequestDeps): AcceptRequest {
  const { database, clock, random, hints, rules } = deps
  const roster = new DeviceRoster(deps)
  const accept = acceptWithinLimits(database, deps.claimAlong)
  return async (request) => {
    const { principal, body, query } = request
    const { accountId } = principal
    const requested = { ...request, accountId, idempotency: idempotencyOf(request), deviceId: body.deviceId }
    const now = clock.now()
    const check = checkMessage(body, query, rules, now)
    if (!check.ok) return await repeatOrRefuse(requested, check.refusal)
    const refusal = recipientRefusal(principal, body, check.checked.numbers)
    if (refusal) return await repeatOrRefuse(requested, refusal)
    const found = await aliasDevice(database, requested, check.checked.numbers.filter(isNumberAlias))
    if (!found.ok) return await repeatOrRefuse(requested, found.refusal)
    return await reserveAndStore({ ...requested, deviceId: found.deviceId }, check.checked, now)
  }

  /** Chooses the device, reserves a slot in its queue, and stores the message. */
  async function reserveAndStore(
    requested: RequestedMessage,
    checked: CheckedMessage,
    now: Date,
  ): Promise<AcceptedRequest> {
    const reserved = await roster.reserve(requested.accountId, criteriaOf(requested), checked.numbers.length)
    if (!reserved.ok) {
      const { problem } = reserved
      const isLimit = problem === 'sim-not-allowed'
      const refusal = isLimit ? simRefusal(requested.principal) : deviceRefusal(problem, requested.body)
      return await repeatOrRefuse(requested, refusal)
    }
    const message = newMessage(requested, checked, reserved.reservation, now)
    const outcome = await endingReservation(reserved.reservation, accept(message))
    if (outcome.kind === 'device-gone') {
      roster.forget(requested.accountId)
      return await reserveAndStore(requested, checked, now)
    }
    if (outcome.kind === 'over-daily-limit') throw dailyRefusal(message.sentBy, { used: outcome.used, now })
    if (outcome.kind === 'over-reply-limit') throw new ReplyLimitError(message.sentBy)
    if (outcome.kind === 'key-gone') throw unauthorised('key', 'The API key was revoked during the request')
    if (outcome.kind !== 'accepted') return repeatedAnswerOrError(outcome, requested)
    crashPoint('message-committed')
    deps.onAccepted?.()
    const isDue = message.scheduleAt === undefined && message.approvalUntil === undefined
    if (isDue && !outcome.isClaimed) hints.wakeForSend(message.deviceId, isUrgent(message))
    return { message: acceptedAnswer(message), isRepeated: false }
  }

  /**
   * Returns the first answer if an earlier request had the same key, otherwise throws the refusal. The relay may have
   * accepted the earlier request even if it would refuse the request now.
   */
  async function repeatOrRefuse(requested: RequestedMessage, refusal: ApiError): Promise<AcceptedRequest> {
    if (requested.idempotency === undefined) throw refusal
    const [taken] = await findDuplicates(database, [{ ...requested, id: '' }])
    const outcome = taken && repeatOutcome(requested, taken)
    if (outcome === undefined) throw refusal
    return repeatedAnswerOrError(outcome, requested)
  }

  function newMessage(
    { principal, accountId, body, idempotency, statusCallback }: RequestedMessage,
    { numbers, validUntil, scheduleAt }: CheckedMessage,
    { deviceId, simNumber }: Pick<Reservation, 'deviceId' | 'simNumber'>,
    createdAt: Date,
  ): NewMessage {
    return {
      accountId,
      id: body.id ?? newTimedId(random, createdAt),
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
      recipients: numbers.map((phoneNumber) => ({ cmdId: newTimedId(random, createdAt), phoneNumber })),
      idempotency,
      sentBy: limitedSenderOf(principal),
      statusCallback,
      approvalUntil: approvalUntil(principal, validUntil, createdAt),
    }
  }
}

/** The time in which a person can approve a message. */
const APPROVAL_MS = 86_400_000

/** Returns the time until which a message waits for approval, or undefined if its key needs no approval. */
function approvalUntil({ key }: Principal, validUntil: Date | undefined, createdAt: Date): Date | undefined {
  if (key?.limits.approval === undefined) return undefined
  const latest = new Date(createdAt.getTime() + APPROVAL_MS)
  return validUntil !== undefined && validUntil < latest ? validUntil : latest
}

function idempotencyOf({ idempotencyKey: key, body, query, identity }: SendRequest): IdempotencyKey | undefined {
  if (key === undefined) return undefined
  // A program may retry a request after an upgrade, with this parameter for the first time.
  const { allowShortCodes: _, ...rest } = query
  if (isIdempotencyKey(key)) return { key, fingerprint: requestFingerprint(identity ?? { body, query: rest }) }
  throw new ApiError(400, 'The header Idempotency-Key must be 1 to 255 printable ASCII characters')
}

function criteriaOf({ principal, body, query, deviceId }: RequestedMessage) {
  const { simNumber } = body
  const capabilities = neededCapabilities(body)
  const allowedSims = principal.key?.limits.sims
  return { deviceId, simNumber, allowedSims, capabilities, activeWithinHours: query.deviceActiveWithin }
}

function neededCapabilities({ isEncrypted, content, phoneNumbers }: SendMessageRequest): readonly Capability[] {
  const isMms = content.kind === 'mms'
  if (!isMms && phoneNumbers.some(isNumberAlias)) return ['number-alias']
  const values = isEncrypted ? [...phoneNumbers, ...encryptedValues(content)] : []
  const needsKey = values.some((value) => !(value instanceof DecodedBase64) && needsPrivateKey(value))
  return [
    ...(isMms ? (['mms'] as const) : []),
    ...(needsKey ? (['public-key'] as const) : []),
    ...(isEncrypted && !needsKey && content.kind === 'data' ? (['encrypted-data'] as const) : []),
  ]
}

function encryptedValues(content: SendMessageRequest['content']): readonly (string | AttachmentOctets)[] {
  switch (content.kind) {
    case 'text':
      return [content.text]
    case 'data':
      return [content.data]
    case 'mms':
      return mmsValues(content).map(({ value }) => value)
  }
}

/** Ends the reservation when the message is stored or refused. */
async function endingReservation(reservation: Reservation, accepting: Promise<AcceptOutcome>): Promise<AcceptOutcome> {
  let isStored = false
  try {
    const outcome = await accepting
    isStored = outcome.kind === 'accepted'
    return outcome
  } finally {
    reservation.end(isStored)
  }
}

/** The message was not stored, because its key or its id already exists. */
type NotNew = Extract<AcceptOutcome, { kind: 'repeated' | 'key-taken' | 'id-taken' }>

function repeatedAnswerOrError(outcome: NotNew, { body }: RequestedMessage): AcceptedRequest {
  switch (outcome.kind) {
    case 'repeated':
      return { message: repeatedAnswer(outcome.message), isRepeated: true }
    case 'key-taken':
      throw new ApiError(422, 'This Idempotency-Key was used for a different request: use a new key for a new message')
    case 'id-taken':
      throw new ApiError(409, `A message with the id ${body.id} already exists: use another id, or leave it out`, {
        reason: 'id_exists',
      })
  }
}
