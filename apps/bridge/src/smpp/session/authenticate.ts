import { createHash, timingSafeEqual } from 'node:crypto'
import type { SmsGateway, SmsGatewayOptions } from '@smsgw/client'
import {
  ApiError,
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  SmsGatewayError,
} from '@smsgw/client/errors'
import { SmppError } from '../protocol/command.ts'
import type { BindRequest } from '../protocol/requests.ts'

/** The owner and the rights of a bound session. */
export interface SmppLogin {
  readonly systemId: string
  /** Receipts go to sessions with the same owner and system id. */
  readonly owner: string
  readonly api: SmsGateway
}

export interface AuthenticateOptions {
  /** Creates a client for the account of the bridge, unless the options have other credentials. */
  readonly connect: (options: Partial<SmsGatewayOptions>) => SmsGateway
  /** The passwords of system ids that use the account of the bridge. */
  readonly users: ReadonlyMap<string, string>
}

/**
 * Retries have the same idempotency key, so a short interruption of the API causes neither a failure nor a second
 * message.
 */
const CLIENT = { maxRetries: 4, maxDelayMs: 5_000, timeoutMs: 15_000 }
/** Without retries, because the API counts wrong passwords. */
const CHECK = { maxRetries: 0, timeoutMs: 10_000 }

/** Characters of a password in the standard. Some clients cut off the rest of an API key. */
const STANDARD_LENGTH = 8

/** Checks a login. Throws an SmppError if it is refused. */
export async function authenticateBind(
  { systemId, password }: BindRequest,
  isSender: boolean,
  { connect, users }: AuthenticateOptions,
): Promise<SmppLogin> {
  if (systemId === '' || password === '') throw new SmppError('ESME_RINVPASWD', 'system_id or password is empty')
  const userPassword = users.get(systemId)
  if (userPassword !== undefined && isSame(userPassword, password))
    return { systemId, owner: `user:${systemId}`, api: connect(CLIENT) }
  const isKey = password.startsWith('smsgw_')
  if (isKey && password.length <= STANDARD_LENGTH)
    throw new SmppError(
      'ESME_RINVPASWD',
      `the client sent only the first ${password.length} characters of an API key: set SMPP_USERS to a system_id with a short password`,
    )
  if (isKey ? !/^[\x21-\x7e]+$/.test(password) : systemId.includes(':') || userPassword !== undefined)
    throw new SmppError('ESME_RINVPASWD', 'wrong password')
  const credentials = isKey ? { apiKey: password } : { username: systemId, password }
  await checkRights(connect({ ...CHECK, credentials }), isSender)
  // The owner is the id of the key, without the secret of the key.
  const owner = isKey ? `key:${password.split('_')[2] ?? ''}` : `account:${systemId}`
  return { systemId, owner, api: connect({ ...CLIENT, credentials }) }
}

async function checkRights(api: SmsGateway, isSender: boolean): Promise<void> {
  const error = await (isSender ? sendNothing(api) : readNothing(api)).catch((reason: unknown) => reason)
  if (error === undefined) return
  if (error instanceof AuthenticationError)
    throw new SmppError('ESME_RINVPASWD', 'the API refuses the password or key', { cause: error })
  if (error instanceof PermissionError) throw new SmppError('ESME_RBINDFAIL', error.message, { cause: error })
  if (error instanceof RateLimitError) throw new SmppError('ESME_RTHROTTLED', error.message, { cause: error })
  if (!(error instanceof SmsGatewayError)) throw error
  throw new SmppError('ESME_RSYSERR', `the API is unavailable: ${error.message}`, { cause: error })
}

/** Checks the scope with a message without recipients, which the API refuses only after it has checked the scope. */
async function sendNothing(api: SmsGateway): Promise<void> {
  await api.messages.send({ phoneNumbers: [] }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 400)) throw error
  })
}

/** Checks that the client may read received messages or the messages that it has sent. */
async function readNothing(api: SmsGateway): Promise<void> {
  await api.inbox
    .list({ limit: 1 })
    .page()
    .catch(async (error: unknown) => {
      if (!(error instanceof PermissionError)) throw error
      await api.messages.get('smpp-bind').catch((reason: unknown) => {
        if (!(reason instanceof NotFoundError)) throw reason
      })
    })
}

function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}
