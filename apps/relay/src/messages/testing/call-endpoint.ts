import { CallerAccess } from '../../http/admissions.ts'
import type { Answer, Call, Endpoint, Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { checked } from '../../http/errors/validation-error.ts'
import { NEVER_LOST } from '../../http/testing/never-lost.ts'

interface Request {
  readonly accountId?: string
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  readonly id?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
}

/** The response or the error, as a client receives it. */
interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** Calls an endpoint directly, without a server. Throws every error except `ApiError`. */
export async function callEndpoint(endpoint: Endpoint, request: Request = {}): Promise<Answered> {
  try {
    const { status, body, headers = {} } = await call(endpoint, request)
    // Removes undefined members, which a client does not receive.
    return { status, body: JSON.parse(JSON.stringify(body)), headers }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, message, errors, headers } = error
    return { status, body: { message, ...(errors && { errors }) }, headers }
  }
}

async function call(endpoint: Endpoint, request: Request): Promise<Answer> {
  const { accountId = 'account', body, query = {}, id, headers = {}, url = '/3rdparty/v1/messages' } = request
  const principal: Principal = { accountId, username: accountId, scopes: new Set(['all:any']) }
  const parsed: Call<unknown, unknown, unknown> = {
    principal,
    body: endpoint.body && checked(endpoint.body, body, 'body'),
    query: endpoint.query && checked(endpoint.query, query, 'query'),
    params: { id },
    headers,
    base: '/3rdparty/v1',
    url,
    address: '127.0.0.1',
    isSecure: false,
    requestId: 'test',
    access: new CallerAccess(NEVER_LOST, principal),
  }
  return await endpoint.handle(parsed as Call<never, never, never>)
}
