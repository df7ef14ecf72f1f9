import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { readSessionCookie } from '../auth/sessions/session-cookie.ts'
import { ApiError } from './api-error.ts'
import type { Authenticate, Caller } from './caller.ts'
import type { Answer, Call, Principal } from './endpoint.ts'
import { foreignPageOf } from './foreign-page.ts'
import { mayDo } from './may-do.ts'
import { BODY_LIMIT_BYTES, readJsonBody, STRANGERS_BODY_LIMIT_BYTES } from './read-json-body.ts'
import { readQuery } from './read-query.ts'
import { isStorable } from './refuse-unstorable.ts'
import { type Access, type Route, scopesOf } from './route.ts'
import { checked } from './validation-error.ts'

export interface Gates {
  /** Basic, or an access token as bearer. */
  readonly authenticate: Authenticate
  /** A refresh token as bearer. */
  readonly authenticateRefresh: Authenticate
}

/**
 * One request to a route, in the order that callers may rely on: is it there (501), who calls (401, 403), what is sent
 * (413, 415, 400), and then the endpoint, which knows ids (404).
 */
export async function serveRoute(route: Route, base: string, gates: Gates, request: FastifyRequest): Promise<Answer> {
  const { endpoint, access } = route
  if (endpoint.unavailable !== undefined) throw new ApiError(501, endpoint.unavailable)
  const caller = callerOf(request)
  const principal = await admit(access, gates, caller)
  const { address, isSecure, foreignPage } = caller
  const mostBytes = access === 'public' ? STRANGERS_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES
  const call: Call<unknown, unknown, unknown> = {
    principal,
    address,
    isSecure,
    foreignPage,
    body: endpoint.body ? checked(endpoint.body, await readJsonBody(request.raw, mostBytes), 'body') : undefined,
    query: endpoint.query ? checked(endpoint.query, readQuery(request.url), 'query') : undefined,
    params: endpoint.params ? paramsOf(route, request) : undefined,
    headers: request.headers as IncomingHttpHeaders & Record<string, string | undefined>,
    base,
    url: request.url,
    requestId: request.id,
    stillMay: () => isStillAdmitted(access, gates, caller),
  }
  return await endpoint.handle(call as Call<never, never, never>)
}

async function admit(access: Access, gates: Gates, caller: Caller): Promise<Principal> {
  if (access === 'public') return NOBODY
  if (access === 'refresh token') return await gates.authenticateRefresh(caller)
  const principal = await gates.authenticate(caller)
  if (access === 'no token') {
    if (principal.tokenId === undefined) return principal
    throw new ApiError(403, 'a token may not do this: use Basic authentication, or sign in')
  }
  if (access === 'any scope' || scopesOf(access).some((scope) => mayDo(principal, scope))) return principal
  throw new ApiError(403, `scope required: ${scopesOf(access).join(' or ')}`)
}

/** A gate that cannot say, as without a database, keeps nobody out who is in. */
async function isStillAdmitted(access: Access, gates: Gates, caller: Caller): Promise<boolean> {
  try {
    await admit(access, gates, caller)
    return true
  } catch (error) {
    return !(error instanceof ApiError && (error.status === 401 || error.status === 403))
  }
}

/** Owns nothing and may do nothing: what a public endpoint sees. */
const NOBODY: Principal = Object.freeze({ accountId: '', username: '', scopes: new Set<never>() })

function callerOf(request: FastifyRequest): Caller {
  const isSecure = request.protocol === 'https'
  return {
    authorization: request.headers.authorization,
    address: request.ip,
    isSecure,
    session: readSessionCookie(request.headers.cookie, isSecure),
    foreignPage: foreignPageOf(request),
  }
}

/** What cannot be an id is the id of nothing. */
function paramsOf({ endpoint }: Route, request: FastifyRequest): unknown {
  const params = request.params as Readonly<Record<string, string>>
  const result = endpoint.params?.safeParse(params)
  if (result?.success && Object.values(params).every(isStorable)) return result.data
  throw new ApiError(404, 'There is nothing with this id')
}
