import type { KeyLimits } from '@smsgw/contract/access/api-key'
import type { SendMessageRequest, SentBy } from '@smsgw/contract/messages/message'
import type { Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'

/**
 * Who sends a message, with the limit: an API key with its daily limit, or automatic replies with a limit per number
 * and hour.
 */
export interface LimitedSender extends SentBy {
  readonly recipientsPerDay?: number
  readonly repliesPerHour?: number
}

/**
 * The limit of replies to one number. Without a limit, two automatic responders would reply to each other endlessly.
 */
const REPLIES_PER_HOUR = 10

export function limitedSenderOf({ key, tokenId, session, webhookId }: Principal): LimitedSender {
  if (webhookId !== undefined) return { kind: 'webhook', repliesPerHour: REPLIES_PER_HOUR }
  if (key) {
    const { recipientsPerDay } = key.limits
    return {
      kind: 'key',
      keyId: key.id,
      keyName: key.name,
      ...(recipientsPerDay !== undefined && { recipientsPerDay }),
    }
  }
  if (tokenId !== undefined) return { kind: 'token' }
  return { kind: session === undefined ? 'password' : 'session' }
}

/** Returns why a key may not send to these numbers, or undefined if it may. */
export function recipientRefusal(
  { key }: Principal,
  { isEncrypted }: Pick<SendMessageRequest, 'isEncrypted'>,
  numbers: readonly string[],
): ApiError | undefined {
  if (key === undefined) return undefined
  const { recipients: allowed, approval } = key.limits
  const named = `API key ${JSON.stringify(key.name)}`
  if (approval !== undefined && isEncrypted)
    return new ApiError(403, `${named} needs approval, and nobody can read an encrypted message to approve it`, {
      reason: 'key_approval',
    })
  if (allowed === undefined) return undefined
  const reason = 'key_recipient_limit'
  if (isEncrypted)
    return new ApiError(403, `${named} has a limit on recipients, which cannot be checked in an encrypted message`, {
      reason,
    })
  const position = numbers.findIndex((number) => !isAllowed(number, allowed))
  if (position === -1) return undefined
  const message = `${named} may not send to ${numbers[position]}: the key is limited to other recipients`
  return new ApiError(403, message, {
    reason,
    errors: [{ path: `phoneNumbers[${position}]`, reason: 'phone_number_not_allowed', message: 'is not allowed' }],
  })
}

function isAllowed(number: string, allowed: NonNullable<KeyLimits['recipients']>): boolean {
  return allowed.some((rule) => (rule.endsWith('*') ? number.startsWith(rule.slice(0, -1)) : number === rule))
}

/**
 * Returns true if a caller may use a SIM. Without a SIM number, returns true if the caller may use every SIM of the
 * device.
 */
export function mayUseSim({ key }: Principal, deviceId: string, simNumber: number | undefined): boolean {
  const allowed = key?.limits.sims
  if (allowed === undefined) return true
  return allowed.some(
    (sim) => sim.deviceId === deviceId && (sim.simNumber === undefined || sim.simNumber === simNumber),
  )
}

export function simRefusal({ key }: Principal): ApiError {
  const message = `API key ${JSON.stringify(key?.name)} may not use this SIM or device: the key is limited to other SIMs`
  return new ApiError(403, message, { reason: 'key_sim_limit' })
}

export function dailyRefusal(
  { keyName, recipientsPerDay }: LimitedSender,
  { used, now }: { readonly used: number; readonly now: Date },
): ApiError {
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
  const message = `Daily limit of API key ${JSON.stringify(keyName)} reached: ${used} of ${recipientsPerDay} recipients used; the next day begins at ${midnight.toISOString()}`
  const seconds = Math.max(1, Math.ceil((midnight.getTime() - now.getTime()) / 1000))
  return new ApiError(429, message, { reason: 'key_daily_limit', headers: { 'Retry-After': String(seconds) } })
}

/** A reply exceeds the hourly limit of its number. The text contains no number. */
export class ReplyLimitError extends ApiError {
  constructor({ repliesPerHour }: LimitedSender) {
    super(429, `${repliesPerHour} replies were sent to this number within an hour, which is the limit`)
  }
}
