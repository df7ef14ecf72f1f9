import type { Call } from '../../http/endpoint.ts'
import { fieldError } from '../../http/errors/validation-error.ts'
import type { FacadeCredentials } from '../../http/facade/facade.ts'
import { numbersInParameter } from '../numbers-in.ts'
import type { RequestedText } from '../send-text.ts'

/** Reads a parameter of SMSEagle's API v1 from a query, a form or the params of JSON-RPC. */
export type ReadParameter = (name: string) => string | undefined

/** Returns the access token, or the login and password. */
export function credentialsOf(read: ReadParameter): FacadeCredentials | undefined {
  const token = read('access_token')
  if (token !== undefined) return { key: token }
  const [username, password] = [read('login'), read('pass')]
  return username === undefined || password === undefined ? undefined : { username, password }
}

/** Returns the text for a failed login, which differs for tokens and passwords. */
export function loginFailure(read: ReadParameter): string {
  return read('login') === undefined ? 'Invalid access token' : 'Invalid login or password'
}

/**
 * Reads the parameters of `send_sms`. Refuses parameters that the gateway cannot apply, and ignores parameters that
 * SMSEagle ignores.
 */
export function smsOf(
  read: ReadParameter,
  { principal, headers }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'headers'>,
): RequestedText {
  for (const name of UNSUPPORTED)
    if (!OFF.has(read(name) ?? '')) throw fieldError(name, 'is not supported: leave it out')
  const kind = read('message_type')
  if (kind !== undefined && kind !== 'sms') throw fieldError('message_type', 'must be "sms": MMS cannot be sent')
  return {
    principal,
    phoneNumbers: numbersInParameter(read('to') ?? ''),
    text: read('message') ?? '',
    priority: read('highpriority') === '1' ? HIGH_PRIORITY : undefined,
    simNumber: simSlot(read('modem_no')),
    scheduleAt: timeOf(read('date')),
    ttlSeconds: secondsOf(read('validity')),
    idempotencyKey: headers['idempotency-key'],
  }
}

/** Such a message is sent before other messages, but within the limits and work hours of the account. */
const HIGH_PRIORITY = 9

const UNSUPPORTED = ['flash', 'test', 'send_after', 'send_before'] as const
const OFF: ReadonlySet<string> = new Set(['', '0'])

/** Reads the slot of a SIM. */
export function simSlot(text = ''): number | undefined {
  if (OFF.has(text)) return undefined
  if (!/^[1-9]\d?$/.test(text)) throw fieldError('modem_no', 'must be the slot of a SIM, counted from 1')
  return Number(text)
}

/** Reads `YYYYmmDDHHMM` in the time zone of this machine, as SMSEagle does. */
function timeOf(text = ''): Date | undefined {
  if (text === '') return undefined
  const [year, month, day, hour, minute] = (/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? []).slice(1).map(Number)
  const time = new Date(year ?? Number.NaN, (month ?? 0) - 1, day, hour, minute)
  // Without this check, 30 February would become 2 March.
  if (time.getMonth() + 1 !== month || time.getDate() !== day || time.getHours() !== hour)
    throw fieldError('date', 'must be a time in the format YYYYmmDDHHMM')
  return time
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Reads a duration such as `10m` or `2w`. */
export function secondsOf(text = ''): number | undefined {
  if (text === '' || text === 'max') return undefined
  const [, count, unit = ''] = /^(\d{1,4})([mhdw])$/.exec(text) ?? []
  if (count === undefined) throw fieldError('validity', 'must be "max" or a duration such as 5m, 4h, 1d or 2w')
  return Number(count) * (UNIT_SECONDS[unit] ?? 0)
}
