import type { Socket } from 'node:net'
import { faultDetails } from '@smsgw/daemon/fault-details'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { BEARER } from '../auth/unauthorised.ts'
import type { ServeConsole } from '../console/serve-console.ts'
import { isDatabaseAway } from '../store/database-away.ts'
import { ApiError } from './api-error.ts'
import { answerClientError, answerExpectation } from './client-error.ts'
import { databaseAwayNotices } from './database-away-notices.ts'
import type { Answer } from './endpoint.ts'
import { isFromPage } from './is-from-page.ts'
import { problemBody, problemMediaType } from './problem-body.ts'
import type { Route } from './route.ts'
import { allowedMethods, urlsOf } from './route-urls.ts'
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './security-headers.ts'
import { sendStream } from './send-stream.ts'
import { type Gates, serveRoute } from './serve-route.ts'
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts'

export interface ServerParts extends Gates {
  readonly routes: readonly Route[]
  /** Told of what is our fault; of nothing that a caller does. */
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void }
  /** For a request that brings none. */
  readonly requestId: () => string
  /** Networks whose `X-Forwarded-*` is believed. */
  readonly trustedProxies: readonly string[]
  readonly limits?: Partial<ServerLimits> | undefined
  /** For a GET of what the table does not have. */
  readonly console?: ServeConsole | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Of each request that met a route, when it was answered. */
  readonly observe?: ((route: Route, status: number, seconds: number) => void) | undefined
  /** Tests look at every answer; what it throws becomes a 500. */
  readonly checkAnswer?: ((route: Route, answer: Answer) => void) | undefined
}

/** What is told of requests that failed by no fault of their caller. */
interface Faults {
  readonly log: ServerParts['log']
  readonly noteAway: (details: object) => void
}

/** The HTTP server over the route table. It listens, and ends, when its owner says so. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const limits = { ...SERVER_LIMITS, ...parts.limits }
  const faults: Faults = { log: parts.log, noteAway: databaseAwayNotices(parts.log) }
  const server = Fastify(serverOptions(parts, limits, faults)) as unknown as FastifyInstance
  server.server.maxConnections = limits.connections
  server.server.on('checkExpectation', (_, response) => answerExpectation(response, parts.requestId()))
  // Bodies are read after who sends them is known, by `readJsonBody`: the framework leaves them alone.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  for (const route of parts.routes) addRoute(server, route, parts, faults)
  answerTheRest(server, parts, faults)
  return server
}

function serverOptions({ requestId, trustedProxies, tls }: ServerParts, limits: ServerLimits, faults: Faults) {
  return {
    ...(tls && { https: { cert: tls.cert, key: tls.key } }),
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // A request that names no host gets an answer as any other, and none of ours depends on it.
      requireHostHeader: false,
      connectionsCheckingInterval: limits.checkingIntervalMs,
    },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Never a number or `true`: both believe whoever connects.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // While it drains, what still arrives on open connections is served, and told to close.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: limits.paramLength,
      querystringParser: () => ({}),
    },
    genReqId: ({ headers }: { headers: Record<string, unknown> }) =>
      saneRequestId(headers['x-request-id']) ?? requestId(),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendError(reply, request, error, faults),
    clientErrorHandler: (error: Error, socket: Socket) => answerClientError(error, socket, requestId()),
  }
}

/** Short, and of characters that no log or header can mistake. */
function saneRequestId(header: unknown): string | undefined {
  return typeof header === 'string' && /^[\w.:/+=@-]{1,128}$/.test(header) ? header : undefined
}

function addRoute(server: FastifyInstance, route: Route, parts: ServerParts, faults: Faults): void {
  for (const { base, path } of urlsOf(route)) {
    server.route({
      method: route.method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        const started = performance.now()
        try {
          const answer = await serveRoute(route, base, parts, request)
          parts.checkAnswer?.(route, answer)
          if (answer.stream)
            sendStream(reply, { ...headersOf(request), ...answer.headers }, answer.stream, route.endpoint.mediaType)
          else sendAnswer(reply, request, answer, route.endpoint.mediaType)
        } catch (error) {
          sendError(reply, request, checkedError(route, error, parts, request), faults)
        }
        parts.observe?.(route, reply.statusCode, (performance.now() - started) / 1000)
        return reply
      },
    })
  }
}

/** What a test says of an error goes before it. */
function checkedError(route: Route, error: unknown, { checkAnswer }: ServerParts, request: FastifyRequest): unknown {
  if (!(error instanceof ApiError)) return error
  try {
    checkAnswer?.(route, { status: error.status, body: problemBody(error, request.id) })
    return error
  } catch (mismatch) {
    return mismatch
  }
}

/** Paths and methods that the table does not have. */
function answerTheRest(server: FastifyInstance, { routes, console }: ServerParts, faults: Faults): void {
  const allowedAt = allowedMethods(routes)
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = allowedAt(path)
    const isGet = request.method === 'GET' || request.method === 'HEAD'
    const page = allowed || !isGet ? undefined : console?.({ path, headers: request.headers })
    if (page) return sendAnswer(reply, request, page.answer, page.mediaType)
    if (!allowed)
      return sendError(reply, request, new ApiError(404, 'There is nothing at this path: see /docs'), faults)
    const headers = { allow: allowed.join(', ') }
    if (request.method === 'OPTIONS') return sendAnswer(reply, request, { status: 204, headers })
    const message = `${request.method} is not possible here: use ${allowed.slice(0, -1).join(' or ')}`
    sendError(reply, request, new ApiError(405, message, { headers }), faults)
  })
  server.setErrorHandler((error, request, reply) => sendError(reply, request, error, faults))
}

function sendAnswer(reply: FastifyReply, request: FastifyRequest, answer: Answer, mediaType?: string): void {
  const { status, body, headers } = answer
  reply.code(status).headers(headersOf(request))
  if (body !== undefined) reply.header('content-type', mediaType ?? 'application/json; charset=utf-8')
  if (headers) reply.headers(headers)
  reply.send(body === undefined || mediaType !== undefined ? body : JSON.stringify(body))
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const secure = request.protocol === 'https' && { 'strict-transport-security': STRICT_TRANSPORT }
  return { ...SECURITY_HEADERS, 'x-request-id': request.id, ...secure }
}

function sendError(reply: FastifyReply, request: FastifyRequest, error: unknown, { log, noteAway }: Faults): void {
  const told = errorToTell(error)
  if (told.status === 500) log.error({ requestId: request.id, ...faultDetails(error) }, 'a request failed')
  else if (told !== error && told.status === 503) noteAway({ requestId: request.id, ...faultDetails(error) })
  const challenge = told.status === 401 && isFromPage(request) ? { 'WWW-Authenticate': BEARER } : {}
  const headers = { 'content-type': problemMediaType(request.headers.accept), ...told.headers, ...challenge }
  sendAnswer(reply, request, { status: told.status, body: problemBody(told, request.id), headers })
}

/** What the caller may know of it. */
function errorToTell(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseAway(error))
    return new ApiError(503, 'The database cannot be used right now: try again in a few seconds', {
      headers: { 'retry-after': '5' },
    })
  switch ((error as { code?: unknown } | undefined)?.code) {
    case 'FST_ERR_BAD_URL':
      return new ApiError(400, 'The path is no valid URL: a % must begin an encoded UTF-8 character')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError(404, 'There is nothing with this id')
    default:
      return new ApiError(500, 'Something went wrong here: try again, and tell the operator the requestId')
  }
}
