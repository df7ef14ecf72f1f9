import type { IncomingHttpHeaders } from 'node:http'
import { isObject, parsedJson } from '@smsgw/contract/fields/json'
import { canonicalUsername } from '../../accounts/username.ts'
import { readAuthorization } from '../../auth/authorization-header.ts'
import { ENROLMENT_TOKEN } from '../../auth/enrolment-token.ts'
import { idOfKey, isKeyText } from '../../auth/keys/key-text.ts'
import { readSessionCookie } from '../../auth/sessions/session-cookie.ts'
import { hashOfSession } from '../../auth/sessions/session-login.ts'
import { PHONE_TOKEN } from '../../mobile/authenticate-phone.ts'
import { PHONE_CODE } from '../../mobile/phone-code.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Claim } from './claim.ts'
import { decodedPath } from './decoded-path.ts'

export interface RequestHead {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** True if the client uses HTTPS. The name of the session cookie depends on it. */
  readonly isSecure: boolean
}

type Fingerprints = Pick<SecretBox, 'fingerprint'>

/**
 * Returns what the credentials of a request claim, in the order in which the relay reads credentials. Returns an empty
 * list if the request has no credentials, or malformed ones. Returns undefined if the credentials are in the body.
 * Nothing is verified here: the relay of the cell does that.
 */
export function findClaims(head: RequestHead, box: Fingerprints): readonly Claim[] | undefined {
  const { headers } = head
  const { path, query } = partsOf(head.url)
  const apiKey = headerOf(headers, 'x-api-key')
  const code = /^code +(\S+)$/i.exec(headers.authorization?.trim() ?? '')?.[1]
  const credentials = readAuthorization(headers.authorization)
  const ofQuery = claimsOfQuery(path, query)
  if (ofQuery !== undefined) return ofQuery
  if (path === ACCESS_TOKEN_PATH && headers['access-token'] !== undefined)
    return keyClaims(headerOf(headers, 'access-token'))
  if (apiKey !== '') return keyClaims(apiKey)
  if (code !== undefined) return [{ kind: 'code', name: box.fingerprint(code.toLowerCase(), PHONE_CODE) }]
  if (credentials.kind === 'basic') return claimsOfLogin(credentials.username, credentials.password)
  if (credentials.kind === 'bearer') return claimsOfBearer(credentials.token, box)
  if (credentials.kind === 'unreadable') return []
  if (head.method === 'POST' && BODY_PATHS.some((pattern) => pattern.test(path))) return undefined
  const session = readSessionCookie(headers.cookie, head.isSecure)
  return session === undefined ? [] : [{ kind: 'session', name: hashOfSession(session) }]
}

/** Returns the claims in the body of a request for which `findClaims` returned undefined. */
export function findBodyClaims(body: string): readonly Claim[] {
  const read = body.trimStart().startsWith('{') ? membersOf(body) : new URLSearchParams(body)
  const token = read.get('access_token')
  if (token !== null) return keyClaims(token)
  const [username, password] = [read.get('username') ?? read.get('login'), read.get('password') ?? read.get('pass')]
  return username === null || password === null ? [] : claimsOfLogin(username, password)
}

/** The requests whose body may contain the credentials: the sign-in of a browser, and two interfaces of SMSEagle. */
const BODY_PATHS = [/\/session$/, /\/http_api\/send_sms$/, /\/jsonrpc\/sms$/]
const ACCESS_TOKEN_PATH = '/api/v2/messages/sms'

function claimsOfQuery(path: string, query: string): readonly Claim[] | undefined {
  const isKannel = path === '/cgi-bin/sendsms'
  if (!isKannel && !/\/http_api\/send_sms$/.test(path)) return undefined
  const read = new URLSearchParams(query)
  const token = isKannel ? null : read.get('access_token')
  if (token !== null) return keyClaims(token)
  const [name, other] = isKannel ? ['username', 'user'] : ['login', 'login']
  const username = read.get(name) ?? read.get(other)
  const password = isKannel ? (read.get('password') ?? read.get('pass')) : read.get('pass')
  return username === null || password === null ? undefined : claimsOfLogin(username, password)
}

function claimsOfLogin(username: string, password: string): readonly Claim[] {
  return isKeyText(password) ? keyClaims(password) : [{ kind: 'user', name: canonicalUsername(username) }]
}

function claimsOfBearer(token: string, box: Fingerprints): readonly Claim[] {
  if (isKeyText(token)) return keyClaims(token)
  const accountId = accountOfToken(token)
  if (accountId !== undefined) return [{ kind: 'account', name: accountId }]
  return [
    { kind: 'phone', name: box.fingerprint(token, PHONE_TOKEN) },
    { kind: 'enrolment', name: box.fingerprint(token, ENROLMENT_TOKEN) },
  ]
}

function keyClaims(key: string): readonly Claim[] {
  const id = idOfKey(key)
  return id === undefined ? [] : [{ kind: 'key', name: id }]
}

/** Returns the account in the claim `sub` of a signed token, without a check of the signature. */
function accountOfToken(token: string): string | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined || token.length > LONGEST_TOKEN) return undefined
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }
    return typeof sub === 'string' && sub.length <= LONGEST_ID ? sub : undefined
  } catch {
    return undefined // not a signed token
  }
}

const LONGEST_TOKEN = 8_192
const LONGEST_ID = 64

interface Reader {
  get(name: string): string | null
}

/** Reads the members of a JSON object, or of its member `params`. */
function membersOf(body: string): Reader {
  const value = parsedJson(body)
  const params = isObject(value) && isObject(value['params']) ? value['params'] : value
  return {
    get(name) {
      const member = isObject(params) && Object.hasOwn(params, name) ? params[name] : undefined
      return typeof member === 'string' || typeof member === 'number' ? String(member) : null
    },
  }
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : ''
}

function partsOf(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf('?')
  return { path: decodedPath(url), query: mark === -1 ? '' : url.slice(mark + 1) }
}
