import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { fieldError } from '../../http/errors/validation-error.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import type { StatusCallback } from '../../webhooks/status-callback.ts'
import { escapeMarkup } from '../escape-markup.ts'
import { type RequestedText, sendFacadeText } from '../send-text.ts'
import { singleParameters } from '../single-parameters.ts'
import type { StatusReceivers } from '../status-receivers.ts'

export interface KannelDeps {
  readonly accept: AcceptRequest
  readonly clock: Clock
  readonly statusReceivers: StatusReceivers
}

const text = z.string()
const STATUSES = [202, 400, 403, 404, 409, 422, 429, 500, 503]

/** `GET /cgi-bin/sendsms` of Kannel's smsbox. */
export function sendSmsAsKannel({ accept, clock, statusReceivers }: KannelDeps): Endpoint {
  return facadeEndpoint({
    bodies: [],
    mediaType: 'text/html; charset=utf-8',
    decode: octetsOf,
    answers: Object.fromEntries(STATUSES.map((status) => [status, text])),
    credentials({ query }) {
      const [username, password] = [
        first(query['username'] ?? query['user']),
        first(query['password'] ?? query['pass']),
      ]
      return username === undefined || password === undefined ? undefined : { username, password }
    },
    async handle({ principal, body: { query }, headers }) {
      const given = singleParameters(query, {})
      const requested = requestedText(given, principal, clock)
      const statusCallback = reportsTo(given)
      const problem = statusCallback && (await statusReceivers.add(principal.accountId, statusCallback))
      if (problem !== undefined) throw fieldError('dlr-url', problem, 'query')
      const idempotencyKey = headers['idempotency-key']
      const { message } = await sendFacadeText(accept, { ...requested, statusCallback, idempotencyKey })
      return { status: 202, body: '0: Accepted for delivery', headers: { 'X-Message-Id': message.id } }
    },
    refuse(error) {
      const [status, body] = shownError(error)
      return { status, body: escapeMarkup(body) }
    },
  })
}

/**
 * Returns Kannel's text for this error, if Kannel has one. Clients match these texts, so they are kept word for word.
 */
function shownError({ status, message, reason }: ApiError): readonly [status: number, body: string] {
  if (status === 401) return [403, 'Authorization failed for sendsms']
  if (status === 503) return [503, 'Temporal failure, try again later.']
  if (reason === 'key_recipient_limit')
    return [403, 'Number(s) has/have been denied by white/black lists, or allowed/denied rules.']
  return [status, message]
}

function requestedText(given: ReadonlyMap<string, string>, principal: Principal, clock: Clock): RequestedText {
  const to = given.get('to')
  if (to === undefined) throw new ApiError(400, 'Missing receiver number, rejected')
  if (to.trim() === '') throw new ApiError(400, 'Empty receiver number not allowed, rejected')
  for (const name of UNSUPPORTED)
    if ((given.get(name) ?? '') !== '') throw fieldError(name, 'is not supported: leave it out', 'query')
  const coding = given.get('coding') ?? '0'
  if (coding === '1') throw fieldError('coding', '1 is not supported: use 0 or 2 for a text', 'query')
  const decoded = decodeText(given.get('text') ?? '', given.get('charset') || undefined, coding === '2')
  if (decoded === undefined) throw new ApiError(400, 'Charset or body misformed, rejected')
  const [, deviceId, simNumber] = /^(.*?)(?::([1-9]\d?))?$/.exec(given.get('smsc') ?? '') ?? []
  const deferred = wholeNumber(given, 'deferred', 525_600)
  return {
    principal,
    phoneNumbers: receiversIn(to),
    text: decoded,
    deviceId: deviceId || undefined,
    simNumber: simNumber === undefined ? undefined : Number(simNumber),
    priority: wholeNumber(given, 'priority', 3),
    ttlSeconds: secondsOf(wholeNumber(given, 'validity', 525_600)),
    scheduleAt: deferred ? new Date(clock.now().getTime() + deferred * 60_000) : undefined,
  }
}

/** These parameters would change how the message is delivered, so they are refused. */
const UNSUPPORTED = ['udh', 'mclass', 'flash', 'mwi', 'pid', 'compress'] as const

/** Returns the address for reports, if the request asks for reports. Kannel requires both a mask and a URL. */
function reportsTo(given: ReadonlyMap<string, string>): StatusCallback | undefined {
  const mask = given.get('dlr-mask') || given.get('dlrmask') || '0'
  if (!/^\d{1,3}$/.test(mask)) throw new ApiError(400, 'Dlr-mask field misformed, rejected')
  const url = utf8(given.get('dlr-url') || given.get('dlrurl') || '')
  return Number(mask) === 0 || url === '' ? undefined : { format: 'kannel-dlr', url, mask: Number(mask) }
}

/**
 * Splits numbers at spaces. A `+` that was not encoded also arrives as a space. So if the first number begins with a
 * space, every number begins with `+`.
 */
function receiversIn(to: string): string[] {
  const plus = to.startsWith(' ') ? '+' : ''
  const numbers = to.split(' ').filter((number) => number !== '')
  return numbers.map((number) => (/^\d/.test(number) ? plus + number : number))
}

function wholeNumber(given: ReadonlyMap<string, string>, name: string, most: number): number | undefined {
  const value = given.get(name) ?? ''
  if (value === '' || value === '-1') return undefined
  if (/^\d{1,6}$/.test(value) && Number(value) <= most) return Number(value)
  throw new ApiError(400, `${name.charAt(0).toUpperCase()}${name.slice(1)} field misformed, rejected`)
}

function secondsOf(minutes: number | undefined): number | undefined {
  return minutes === undefined ? undefined : minutes * 60
}

/** Returns the first value of a parameter, decoded as UTF-8. */
function first(value: string | readonly string[] | undefined): string | undefined {
  const [octets] = [value].flat()
  return octets === undefined ? undefined : utf8(octets)
}

function utf8(octets: string): string {
  return Buffer.from(octets, 'latin1').toString('utf8')
}

/** Decodes percent-encoded text to one character per octet, because `charset` decides what the octets mean. */
function octetsOf(escaped: string): string {
  return escaped.replace(/%([0-9a-f]{2})/gi, (_, octet) => String.fromCharCode(Number.parseInt(octet, 16)))
}

/**
 * Decodes octets. Without `charset`, text is UTF-8, or UTF-16BE for `coding=2`. Older versions of Kannel used
 * WINDOWS-1252, so text that is not valid UTF-8 is decoded as WINDOWS-1252. Returns undefined for an unknown charset
 * and for octets that are invalid in the charset.
 */
function decodeText(octets: string, charset: string | undefined, isUcs2: boolean): string | undefined {
  const bytes = Buffer.from(octets, 'latin1')
  if (charset === undefined) return decoded(bytes, isUcs2 ? 'utf-16be' : 'utf-8') ?? decoded(bytes, 'windows-1252')
  // Kannel sends the higher octet first, whereas the web reads UCS-2 in the other order.
  return decoded(bytes, /^ucs-?2(?:be)?$/i.test(charset) ? 'utf-16be' : charset)
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined // the charset is unknown, or the octets are not text in it
  }
}
