import type { FastifyRequest } from 'fastify'
import { readAuthorization } from '../../auth/authorization-header.ts'
import { BODY_LIMIT_BYTES, readBody } from '../body/read-json-body.ts'
import type { Caller } from '../caller.ts'
import type { Answer, Call } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Route } from '../route.ts'
import { admit, callAs, callerOf, type Gates } from '../serve-route.ts'
import { bodylessRequest, type Facade, type FacadeRequest, facadeCaller, parameters } from './facade.ts'

/**
 * Limit for bodies that contain the credentials, so that thousands of unauthenticated requests do not fill the memory.
 */
const CREDENTIALS_BODY_LIMIT_BYTES = 16 * 1024

/** An error together with its request, which determines the format of the answer. */
export class FacadeError extends Error {
  readonly request: FacadeRequest

  constructor(cause: unknown, request: FacadeRequest) {
    super('a request in the format of another product failed', { cause })
    this.request = request
  }
}

/**
 * Serves one request to an interface of another product. As for all routes, authentication is the first check, unless
 * the credentials of the interface are in the body.
 */
export async function serveFacade(
  route: Route,
  facade: Facade,
  gates: Gates,
  request: FastifyRequest,
): Promise<Answer> {
  let read: FacadeRequest = { method: request.method, headers: request.headers, query: {}, form: {}, json: undefined }
  try {
    read = bodylessRequest(request.raw, facade)
    const caller = callerOf(request, 'any method')
    const early = facade.credentials?.(read)
    const hasUsual = caller.authorization !== undefined || caller.apiKey !== undefined
    const readsFirst = early === undefined && !hasUsual && facade.credentials !== undefined
    if (readsFirst) read = await withBody(read, facade, request, CREDENTIALS_BODY_LIMIT_BYTES)
    const credentials = readsFirst ? facade.credentials?.(read) : early
    const claims = facadeCaller(caller, credentials)
    const mayBePage = request.method === 'GET' && facade.credentials !== undefined && credentials === undefined
    const principal = await admit(route.access, gates, mayBePage ? withoutBasic(claims) : claims)
    if (!readsFirst) read = await withBody(read, facade, request, BODY_LIMIT_BYTES)
    const call = callAs({ principal, caller, route, base: '', body: read, query: undefined }, gates, request)
    if (route.endpoint.params && call.params === undefined) throw new ApiError(404, 'Nothing has this id')
    return await route.endpoint.handle(call as Call<never, never, never>)
  } catch (error) {
    throw new FacadeError(error, read)
  }
}

/**
 * Removes a username and password from the headers. Browsers add them to requests for images. Over plain HTTP, such a
 * request does not show which page contains the image.
 */
function withoutBasic(caller: Caller): Caller {
  return readAuthorization(caller.authorization).kind === 'basic' ? { ...caller, authorization: undefined } : caller
}

async function withBody(
  request: FacadeRequest,
  { bodies, decode }: Facade,
  { raw }: FastifyRequest,
  mostBytes: number,
): Promise<FacadeRequest> {
  if (request.method === 'GET') return request
  const body = await readBody(raw, { mostBytes, formats: bodies })
  if (body === undefined) return request
  if (body.format === 'json') return { ...request, json: body.value }
  return { ...request, form: parameters(body.text, 'body', decode) }
}
