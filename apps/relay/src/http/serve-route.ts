// Outbound path, step 1: authenticates, authorises and validates a request. Next: accept-request.ts.

import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { readSessionCookie } from '../auth/sessions/session-cookie.ts'
import { type Admissions, CallerAccess } from './admissions.ts'
import type { LargeBodies } from './body/large-bodies.ts'
import { BODY_LIMIT_BYTES, PUBLIC_BODY_LIMIT_BYTES, readJsonBody } from './body/read-json-body.ts'
import { isStorable } from './body/refuse-unstorable.ts'
import type { Authenticate, Caller } from './caller.ts'
import type { Answer, Call, Principal } from './endpoint.ts'
import { ApiError } from './errors/api-error.ts'
import { checked, fieldError } from './errors/validation-error.ts'
import { mayDo, scopeRequired } from './may-do.ts'
import { type RequiredAccess, type Route, scopesOf } from './route.ts'

export interface Gates {
  /** Accepts Basic authentication, a session, or an access token as bearer token. */
  readonly authenticate: Authenticate
  /** Accepts a refresh token as bearer token. */
  readonly authenticateRefresh: Authenticate
  /** Accepts the token of a phone as bearer token. */
  readonly authenticatePhone: Authenticate
  readonly admissions: Admissions
  readonly largeBodies: LargeBodies
}

/**
 * Serves one request. Checks availability (501), authentication and scope (401, 403), body and query (413, 415, 400) in
 * this documented order, and then calls the endpoint, which checks ids (404).
 */
export async function serveRoute(route: Route, base: string, gates: Gates, request: FastifyRequest): Promise<Answer> {
  const { endpoint, access } = route
  if (endpoint.unavailable !== undefined) throw new ApiError(501, endpoint.unavailable)
  const caller = callerOf(request)
  const principal = await admit(access, gates, caller)
  const answered = Promise.withResolvers<void>()
  // The caller may disconnect while its body waits for memory. The request has then ended before it gets the memory, so
  // the memory is released at once.
  const enter = async (bytes: number) => {
    const leave = await gates.largeBodies.enter(principal.accountId, bytes)
    void answered.promise.then(leave)
  }
  try {
    return await serveAdmitted({ route, base, principal, caller, enter }, gates, request)
  } finally {
    answered.resolve()
  }
}

interface Admitted extends Pick<CheckedRequest, 'route' | 'base' | 'principal' | 'caller'> {
  readonly enter: (bytes: number) => Promise<void>
}

async function serveAdmitted(
  { route, base, principal, caller, enter }: Admitted,
  gates: Gates,
  request: FastifyRequest,
): Promise<Answer> {
  const { endpoint, access } = route
  const { mostBodyBytes = access === 'public' ? PUBLIC_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES } = endpoint
  const large = mostBodyBytes > BODY_LIMIT_BYTES ? { enter, member: endpoint.largeBodyMember } : undefined
  const body = endpoint.body
    ? checked(endpoint.body, await readJsonBody(request.raw, mostBodyBytes, large), 'body')
    : undefined
  const query = endpoint.query ? checked(endpoint.query, readQuery(request.url), 'query') : undefined
  const call = callAs({ principal, caller, route, base, body, query }, gates, request)
  if (endpoint.params && call.params === undefined) {
    if (endpoint.unknownId !== undefined) return { status: endpoint.unknownId }
    throw new ApiError(404, 'Nothing has this id')
  }
  const handle = () => endpoint.handle(call as Call<never, never, never>)
  // A caller that loses access during a read gets 401 instead of the result. A change may already be committed, so its
  // answer is sent.
  return await (route.method === 'GET' ? call.access.during(handle) : handle())
}

interface CheckedRequest {
  readonly principal: Principal
  readonly caller: Caller
  readonly route: Route
  readonly base: string
  readonly body: unknown
  readonly query: unknown
}

/** Returns the request as an endpoint receives it. */
export function callAs(
  { principal, caller, route, base, body, query }: CheckedRequest,
  { admissions }: Pick<Gates, 'admissions'>,
  request: FastifyRequest,
): Call<unknown, unknown, unknown> {
  const { address, isSecure, foreignPage } = caller
  refuseRepeatedKey(request)
  return {
    principal,
    address,
    isSecure,
    foreignPage,
    body,
    query,
    params: route.endpoint.params && paramsOf(route, request),
    headers: request.headers as IncomingHttpHeaders & Record<string, string | undefined>,
    base,
    url: request.url,
    requestId: request.id,
    access: new CallerAccess(admissions, principal),
  }
}

/** Refuses several keys, because Node.js joins them to one key, whereas a proxy may forward only one of them. */
function refuseRepeatedKey({ raw: { headers, headersDistinct } }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined) return
  const { length } = headersDistinct['idempotency-key'] ?? []
  if (length > 1) throw new ApiError(400, `The request has ${length} Idempotency-Key headers: send only one`)
}

/** Authenticates the caller and checks its scopes. */
export async function admit(access: RequiredAccess, gates: Gates, caller: Caller): Promise<Principal> {
  if (access === 'public') return ANONYMOUS
  if (access === 'refresh token') return await gates.authenticateRefresh(caller)
  if (access === 'phone') return await gates.authenticatePhone(caller)
  const principal = await gates.authenticate(caller)
  if (access === 'no token') {
    if (principal.tokenId === undefined && principal.key === undefined) return principal
    throw new ApiError(403, 'A token or an API key may not do this: use the password, or sign in')
  }
  if (access === 'any scope' || scopesOf(access).some((scope) => mayDo(principal, scope))) return principal
  throw scopeRequired(...scopesOf(access))
}

/** The principal of public endpoints, which has no account and no scopes. */
const ANONYMOUS: Principal = Object.freeze({ accountId: '', username: '', scopes: new Set<never>() })

/** Returns the claims of a request about its caller. `changing` lists the HTTP methods that may change data. */
export function callerOf(request: FastifyRequest, changing: ChangingMethods = 'unsafe methods'): Caller {
  const isSecure = request.protocol === 'https'
  return {
    authorization: request.headers.authorization,
    apiKey: request.headers['x-api-key'] as string | undefined,
    address: request.ip,
    isSecure,
    session: readSessionCookie(request.headers.cookie, isSecure),
    foreignPage: foreignPageOf(request, changing),
  }
}

/** Returns the path parameters, or undefined if one of them is not a possible id. */
function paramsOf({ endpoint }: Route, request: FastifyRequest): unknown {
  const params = request.params as Readonly<Record<string, string>>
  const result = endpoint.params?.safeParse(params)
  return result?.success && Object.values(params).every(isStorable) ? result.data : undefined
}

/** Returns the query parameters. If a parameter is repeated, its first value is used. */
function readQuery(url: string): Readonly<Record<string, string>> {
  const mark = url.indexOf('?')
  if (mark === -1 || mark === url.length - 1) return NOTHING
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(parse(url.slice(mark + 1)))) {
    const text = (Array.isArray(value) ? value[0] : value) ?? ''
    if (!isStorable(text)) throw fieldError(name.slice(0, 64), 'contains a NUL character: remove it', 'query')
    query[name] = text
  }
  return query
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/** The methods that may change data on a route: the unsafe methods of HTTP, or any method, even GET. */
type ChangingMethods = 'unsafe methods' | 'any method'

/**
 * Returns the reason to suspect that a page on another site sent a request that changes something. Returns undefined
 * for our own pages and for requests that change nothing. Browsers send the origin of the page, or at least whether it
 * belongs to this site.
 */
function foreignPageOf(request: FastifyRequest, changing: ChangingMethods = 'unsafe methods'): Caller['foreignPage'] {
  if (changing === 'unsafe methods' && SAFE_METHODS.has(request.method)) return undefined
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && !OWN_SITES.has(site)) return 'other origin'
  if (origin === undefined) return 'no origin'
  return isOwnOrigin(origin, request) ? undefined : 'other origin'
}

/**
 * `none` means that no page caused the request, for example because a person typed the address. Any value that is not
 * in this set means a foreign page, even a repeated value or a value of a future browser.
 */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Over plain HTTP, only the host must be equal, because a proxy that is not trusted may terminate TLS. */
function isOwnOrigin(origin: string, { protocol, host }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  const own = `${page.protocol}//${host}`
  if (page.protocol !== 'https:' && (page.protocol !== 'http:' || protocol === 'https')) return false
  return URL.canParse(own) && new URL(own).host === page.host
}
