import { withoutUnsafe } from '@smsgw/contract/fields/name-text'
import { z } from 'zod'
import { readAuthorization } from '../auth/authorization-header.ts'
import { redeemEnrolmentToken } from '../auth/enrolment-token.ts'
import { lockAccountForKeys } from '../auth/keys/lock-account-for-keys-statement.ts'
import { refuseInsecure } from '../auth/refuse-insecure.ts'
import { unauthorised } from '../auth/unauthorised.ts'
import type { RedeemPairingCodeDeps } from '../devices/pairing/redeem-pairing-code.ts'
import type { Authenticate, Caller } from '../http/caller.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { mayDo, scopeRequired } from '../http/may-do.ts'
import { storeSims } from '../link/claim/store-sims-statement.ts'
import { newId } from '../random.ts'
import { lockSettings } from '../settings/lock-settings-statement.ts'
import { hidesSender } from '../settings/merge-settings.ts'
import type { Statements } from '../store/database.ts'
import { storableText } from '../store/storable.ts'
import { PHONE_TOKEN } from './authenticate-phone.ts'
import { savePushToken } from './fcm/phone-push.ts'
import { registerPhoneBody } from './mobile-bodies.ts'
import { redeemPhoneCode } from './phone-code.ts'
import { phoneCapabilities, phoneSims, sendsMms } from './phone-device.ts'

export interface RegisterPhoneDeps extends RedeemPairingCodeDeps {
  readonly authenticate: Authenticate
  readonly allowInsecureHttp: boolean
  /** The largest number of phones in an account. */
  readonly maxPhones: number
}

const registration = z.strictObject({
  id: z.string(),
  /** The token, which no other answer contains. */
  token: z.string(),
  login: z.string(),
})

/**
 * Registers a phone as a device of an account: with the username and password of the account, with a one-time code, or
 * with the enrolment token of this relay. Each registration is a new device, because the app has no identity of its
 * own.
 */
export function registerPhone(deps: RegisterPhoneDeps): Endpoint {
  const { database, clock, random, box, logbook, throttle, maxPhones } = deps
  return endpoint({
    body: registerPhoneBody,
    answers: { 201: registration },
    errors: [401, 403, 408, 409, 413, 415, 429],
    async handle({ body, headers: { authorization, 'user-agent': userAgent }, address, isSecure, foreignPage }) {
      const caller = { authorization, address, isSecure, foreignPage }
      // The attempt limit does not apply to logins, because the login itself limits guesses of passwords.
      const isLogin = readAuthorization(authorization).kind === 'basic'
      const retryAfterMs = isLogin ? 0 : throttle.take(address, clock.now().getTime())
      if (retryAfterMs > 0) throw tooMany(retryAfterMs)
      const findAccount = await accountFinder(deps, caller)
      const token = newId(random)
      const capabilities = phoneCapabilities({
        hasKey: body.publicKey !== undefined,
        canSendMms: sendsMms(body.capabilities, userAgent) ?? false,
      })
      const phoneTokenHash = box.fingerprint(token, PHONE_TOKEN)
      const registered = await database.$transaction(async (statements) => {
        const accountId = await findAccount(statements)
        const own = await lockSettings(statements, accountId)
        if (own !== undefined && hidesSender(own))
          throw new ApiError(
            403,
            'The account hides the numbers of senders, but a phone cannot hide them: use another account for the phone, or set encryption.inbox_hide_sender to false',
          )
        // The lock on the account makes concurrent registrations wait, so each one counts all phones before it.
        const registeredPhones = await statements.device.count({
          where: { accountId, deletedAt: null, phoneTokenHash: { not: null } },
        })
        if (registeredPhones >= maxPhones) throw tooManyPhones(maxPhones)
        const { username } = await statements.account.findUniqueOrThrow({
          where: { id: accountId },
          select: { username: true },
        })
        const id = newId(random)
        const journalId = newId(random)
        const now = clock.now()
        const name = storableText(withoutUnsafe(body.name ?? '')) || 'Phone'
        await statements.device.create({
          data: {
            ...{ id, accountId, name, phoneTokenHash, createdAt: now, updatedAt: now, lastSeen: now, journalId },
            ...{ connEpoch: 1, capabilities, capabilitiesEpoch: 1 },
            encryptionKey: body.publicKey ?? null,
            encryptionKeyVersion: body.keyVersion ?? null,
            journals: { create: { journalId, createdAt: now } },
          },
        })
        await storeSims(statements, id, phoneSims(body.simCards ?? []), now)
        const { pushToken } = body
        if (pushToken !== undefined)
          await savePushToken(statements, box, { deviceId: id, accountId, token: pushToken, now })
        return { id, accountId, username }
      })
      const { id, accountId, username: login } = registered
      logbook.write({ accountId, deviceId: id, module: 'devices', priority: 'INFO', message: 'phone registered' })
      return { status: 201, body: { id, token, login } }
    },
  })
}

/**
 * Returns a function that finds the account and uses up a code, in the transaction that creates the device. A password
 * is checked before this transaction, because the check may take long, and guesses would then use all connections to
 * the database. If the password was changed meanwhile, or the API key was revoked, the transaction is refused.
 */
async function accountFinder(
  deps: RegisterPhoneDeps,
  caller: Caller,
): Promise<(statements: Statements) => Promise<string>> {
  refuseInsecure(caller, deps.allowInsecureHttp)
  const [, code] = /^code +(\S+)$/i.exec(caller.authorization?.trim() ?? '') ?? []
  if (code !== undefined) {
    return async (statements) => {
      const accountId = await redeemPhoneCode(deps, statements, code)
      if (accountId !== undefined) return accountId
      throw unauthorised('password', 'The code is wrong, used or expired: create a new one')
    }
  }
  const credentials = readAuthorization(caller.authorization)
  if (credentials.kind === 'bearer') {
    return async (statements) => {
      const accountId = await redeemEnrolmentToken(statements, deps.box, credentials.token)
      if (accountId !== undefined) return accountId
      throw unauthorised('password', 'The private token is not the ENROLMENT_TOKEN of this relay')
    }
  }
  if (credentials.kind !== 'basic')
    throw unauthorised('password', 'To register a phone, send a username and password, a code, or the private token')
  const principal = await deps.authenticate(caller)
  if (!mayDo(principal, 'devices:write')) throw scopeRequired('devices:write')
  return async (statements) => {
    await lockAccountForKeys(statements, principal)
    return principal.accountId
  }
}

function tooManyPhones(maxPhones: number): ApiError {
  return new ApiError(
    409,
    `The account already has ${maxPhones} phones, which is the limit of this relay: delete phones that are no longer used, or ask the operator to increase MAX_PHONES`,
  )
}

function tooMany(retryAfterMs: number): ApiError {
  const seconds = Math.ceil(retryAfterMs / 1000)
  return new ApiError(429, `Too many phones are being registered from this address: try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
