import { z } from 'zod'
import type { CoreDeps } from '../../core-deps.ts'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import type { FacadeParameters } from '../../http/facade/facade.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import type { MessageRules } from '../../messages/accept/check-message.ts'
import { storedSpellings } from '../../messages/accept/phone-number.ts'
import type { Database } from '../../store/database.ts'
import type { StatusCallback } from '../../webhooks/status-callback.ts'
import { sendFacadeText } from '../send-text.ts'
import type { StatusReceivers } from '../status-receivers.ts'
import { requireAccount, twilio } from './account-endpoints.ts'
import { filledParameter, integerParameter, isFilled, parameter, timeParameter } from './form-parameters.ts'
import { messageResource, resourceOf } from './message-resource.ts'
import { readAccepted } from './read-records-statement.ts'
import { accountServiceSid, idOfSid } from './sid.ts'
import { errorAnswers, sendingRefusal, TwilioError } from './twilio-error.ts'

interface CreateMessageDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly rules: Pick<MessageRules, 'defaultRegion'>
  readonly accept: AcceptRequest
  readonly statusReceivers: StatusReceivers
}

/** Accepts a message in the same way as `POST /messages`. */
export function createMessage(deps: CreateMessageDeps): Endpoint {
  const { database, clock, accept } = deps
  return facadeEndpoint({
    ...twilio,
    params: z.object({ account: z.string() }),
    answers: { ...errorAnswers, 201: messageResource },
    async handle({ principal, params, body: { form }, headers, url }) {
      requireAccount(principal, params.account, url)
      const to = requiredParameter(form, 'To', 21604, "A 'To' phone number is required.")
      refuseUnsupported(form)
      const text = textOf(form)
      const times = timesOf(form)
      const route = await senderOf(deps, principal, form)
      const statusCallback = await addCallback(deps, principal, filledParameter(form, 'StatusCallback'))
      try {
        const { message } = await sendFacadeText(accept, {
          principal,
          phoneNumbers: [to],
          text,
          ...route,
          ...times,
          statusCallback,
          idempotencyKey: headers['idempotency-key'],
        })
        const record = await readAccepted(database, principal.accountId, message.id)
        // A repeated request finds an earlier message, which may be deleted as too old at any time.
        if (record === undefined)
          throw new ApiError(410, 'The same request was accepted earlier, and its message has been deleted')
        return { status: 201, body: resourceOf(record, principal.accountId, clock.now()) }
      } catch (error) {
        throw error instanceof ApiError && error.status !== 401 ? sendingRefusal(error, to) : error
      }
    },
  })
}

async function addCallback(
  { statusReceivers }: CreateMessageDeps,
  { accountId }: Principal,
  url: string | undefined,
): Promise<StatusCallback | undefined> {
  if (url === undefined) return undefined
  const callback: StatusCallback = { format: 'twilio-status', url }
  const problem = await statusReceivers.add(accountId, callback)
  if (problem !== undefined) throw new TwilioError(400, 21609, `The 'StatusCallback' URL ${problem}`)
  return callback
}

function requiredParameter(
  form: FacadeParameters,
  name: string,
  code: ConstructorParameters<typeof TwilioError>[1],
  message: string,
): string {
  const value = filledParameter(form, name)
  if (value === undefined) throw new TwilioError(400, code, message)
  return value
}

/** Twilio's limit for a whole message. The relay's own limit may be lower. */
const MOST_CHARACTERS = 1600

function textOf(form: FacadeParameters): string {
  const text = parameter(form, 'Body')
  if (text === undefined || text === '') throw new TwilioError(400, 21602, 'Message body is required.')
  if ([...text].length <= MOST_CHARACTERS) return text
  throw new TwilioError(400, 21617, `The message body exceeds the limit of ${MOST_CHARACTERS} characters: shorten it`)
}

/** These parameters change the content of a message. If they were ignored, the recipient would get another content. */
const REFUSED = [
  [
    'MediaUrl',
    21622,
    'MediaUrl is not supported: leave it out, or send the MMS with POST /3rdparty/v1/messages and mmsMessage',
  ],
  ['ContentSid', 20001, 'ContentSid is not supported: send the text in Body'],
  ['PersistentAction', 20001, 'PersistentAction is not supported: leave it out'],
] as const

function refuseUnsupported(form: FacadeParameters): void {
  for (const [name, code, message] of REFUSED) if (isFilled(form, name)) throw new TwilioError(400, code, message)
  if (filledParameter(form, 'SendAsMms') === 'true')
    throw new TwilioError(
      400,
      21622,
      'SendAsMms is not supported: leave it out, or send the MMS with POST /3rdparty/v1/messages and mmsMessage',
    )
}

/** Twilio's range of `ValidityPeriod` in seconds, and the shortest period that this gateway supports. */
const VALIDITY = { least: 1, most: 36_000 } as const
const SHORTEST_VALIDITY = 5

function timesOf(form: FacadeParameters) {
  const validity = integerParameter(form, 'ValidityPeriod', VALIDITY)
  const scheduleType = filledParameter(form, 'ScheduleType')
  const sendAt = timeParameter(form, 'SendAt', 35114)
  if (scheduleType !== undefined && scheduleType !== 'fixed')
    throw new TwilioError(400, 20001, 'ScheduleType must be "fixed"')
  if (scheduleType !== undefined && sendAt === undefined)
    throw new TwilioError(400, 35114, 'SendAt is required with ScheduleType')
  if (scheduleType === undefined && sendAt !== undefined)
    throw new TwilioError(400, 20001, 'ScheduleType=fixed is required with SendAt')
  return {
    ...(validity !== undefined && { ttlSeconds: Math.max(SHORTEST_VALIDITY, validity) }),
    ...(sendAt !== undefined && { scheduleAt: sendAt.start }),
  }
}

interface SendingRoute {
  readonly deviceId?: string
  readonly simNumber?: number
}

/**
 * Chooses the SIM. `From` must be the number of a SIM of the account. Without `From`, `MessagingServiceSid` names the
 * whole account or one device.
 */
async function senderOf(
  { database, rules }: CreateMessageDeps,
  { accountId }: Principal,
  form: FacadeParameters,
): Promise<SendingRoute> {
  const from = filledParameter(form, 'From')
  const service = filledParameter(form, 'MessagingServiceSid')
  if (from === undefined && service === undefined)
    throw new TwilioError(400, 21603, "A 'From' phone number or a MessagingServiceSid is required.")
  const deviceId = service === undefined ? undefined : await deviceOfService(database, accountId, service)
  if (from === undefined) return deviceId === undefined ? {} : { deviceId }
  const sim = await database.simCard.findFirst({
    where: {
      phoneNumber: { in: [...storedSpellings(from, rules.defaultRegion)] },
      device: { accountId, deletedAt: null, ...(deviceId !== undefined && { id: deviceId }) },
    },
    orderBy: [{ updatedAt: 'desc' }, { deviceId: 'asc' }, { simNumber: 'asc' }],
  })
  if (sim) return { deviceId: sim.deviceId, simNumber: sim.simNumber }
  throw new TwilioError(
    400,
    21606,
    `The 'From' phone number ${from} is not the number of a SIM of this account: use a number from GET /devices, or MessagingServiceSid ${accountServiceSid(accountId)} to send with any SIM`,
  )
}

/** Returns the device of a messaging service, or undefined for the service that stands for the whole account. */
async function deviceOfService(database: Database, accountId: string, sid: string): Promise<string | undefined> {
  if (sid === accountServiceSid(accountId)) return undefined
  const deviceId = idOfSid(sid, 'MG')
  const device =
    deviceId &&
    (await database.device.findFirst({ where: { id: deviceId, accountId, deletedAt: null }, select: { id: true } }))
  if (device) return device.id
  throw new TwilioError(
    404,
    21701,
    `The Messaging Service ${sid} does not exist: use ${accountServiceSid(accountId)} to send with any SIM of the account`,
  )
}
