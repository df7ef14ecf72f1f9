import { device as deviceSchema } from '@smsgw/contract/devices/device'
import type { SimCard } from '@smsgw/contract/link/event'
import type { Capability } from '@smsgw/contract/link/frame'
import { z } from 'zod'
import { readAuthorization } from '../auth/authorization-header.ts'
import type { CoreDeps } from '../core-deps.ts'
import { deviceAnswer } from '../devices/get-devices.ts'
import type { Authenticate } from '../http/caller.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { storeSims } from '../link/claim/store-sims-statement.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { phoneOf } from './authenticate-phone.ts'
import { savePushToken } from './fcm/phone-push.ts'
import { changePhoneBody, type PhoneSim } from './mobile-bodies.ts'

interface ShowPhoneDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly authenticatePhone: Authenticate
}

/** Shows the phone with this token, and the address from which it calls. Without a token, shows only the address. */
export function showPhone({ database, clock, authenticatePhone }: ShowPhoneDeps): Endpoint {
  return endpoint({
    answers: { 200: z.strictObject({ device: deviceSchema.optional(), externalIp: z.string() }) },
    errors: [401, 403],
    async handle({ headers: { authorization }, address: externalIp, isSecure }) {
      if (readAuthorization(authorization).kind === 'none') return { status: 200, body: { externalIp } }
      const phone = phoneOf(await authenticatePhone({ authorization, address: externalIp, isSecure }))
      const device = await database.device.findFirstOrThrow({
        where: { id: phone.deviceId, accountId: phone.accountId },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
      })
      return { status: 200, body: { device: deviceAnswer(device, clock.now()), externalIp } }
    },
  })
}

interface ChangePhoneDeps extends Omit<ShowPhoneDeps, 'authenticatePhone'> {
  readonly box: Pick<SecretBox, 'seal'>
}

/** Changes the SIMs, the public key and the push token of a phone. */
export function changePhone({ database, clock, box }: ChangePhoneDeps): Endpoint {
  return endpoint({
    body: changePhoneBody,
    answers: { 204: null },
    async handle({ principal, headers, body }) {
      const { id, simCards, publicKey, keyVersion, capabilities, pushToken: token } = body
      const { deviceId, accountId } = phoneOf(principal)
      if (id !== deviceId) throw new ApiError(403, 'id is not the device of this token')
      const now = clock.now()
      await database.$transaction(async (statements) => {
        // Locks the device, as `storeSims` requires.
        const before = await statements.device.update({
          where: { id: deviceId, accountId },
          data: {
            updatedAt: now,
            ...(publicKey !== undefined && { encryptionKey: publicKey, encryptionKeyVersion: keyVersion ?? null }),
          },
          select: { capabilities: true, encryptionKey: true },
        })
        const canSendMms = sendsMms(capabilities, headers['user-agent']) ?? before.capabilities.includes('mms')
        await statements.device.update({
          where: { id: deviceId, accountId },
          data: { capabilities: phoneCapabilities({ hasKey: before.encryptionKey !== null, canSendMms }) },
          select: { id: true },
        })
        if (simCards !== undefined) await storeSims(statements, deviceId, phoneSims(simCards), now)
        if (token !== undefined) await savePushToken(statements, box, { deviceId, accountId, token, now })
      })
      return { status: 204 }
    },
  })
}

/** Returns the optional features that the phone supports. */
export function phoneCapabilities({
  hasKey,
  canSendMms,
}: {
  readonly hasKey: boolean
  readonly canSendMms: boolean
}): Capability[] {
  return ['encrypted-data', ...(hasKey ? (['public-key'] as const) : []), ...(canSendMms ? (['mms'] as const) : [])]
}

/** The first release of *SMS Gateway for Android* that sends MMS. */
const FIRST_WITH_MMS = [1, 74] as const

/**
 * Returns true if the app sends MMS, or undefined if the request does not show it. The app *SMS Gateway for Android*
 * does not report this in the body, so it is recognised by its User-Agent.
 */
export function sendsMms(capabilities: readonly string[] | undefined, userAgent = ''): boolean | undefined {
  if (capabilities !== undefined) return capabilities.includes('mms')
  const [, major, minor] = /^me\.capcom\.smsgateway\/(\d{1,4})\.(\d{1,4})/.exec(userAgent) ?? []
  if (major === undefined) return undefined
  const [firstMajor, firstMinor] = FIRST_WITH_MMS
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor)
}

/** A phone does not report the state of its SIMs, so each SIM that it lists counts as ready. */
export function phoneSims(sims: readonly PhoneSim[]): SimCard[] {
  return sims.map(({ simNumber, phoneNumber, carrierName, iccid }) => ({
    simNumber,
    state: 'ready',
    ...(phoneNumber !== undefined && { phoneNumber }),
    ...(carrierName !== undefined && { carrierName }),
    ...(iccid !== undefined && { iccid }),
  }))
}
