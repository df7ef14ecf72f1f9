import { type IncomingMessage, METHODS } from 'node:http'
import type { Socket } from 'node:net'
import { faultDetails } from '@smsgw/daemon/log/fault-details'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { readSessionCookie } from '../auth/sessions/session-cookie.ts'
import { BEARER } from '../auth/unauthorised.ts'
import type { ServeConsole } from '../console/serve-console.ts'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import { compressedAnswer, headersOf, sendAnswer, sendStream } from './answer/send-answer.ts'
import { LargeBodies } from './body/large-bodies.ts'
import type { Answer } from './endpoint.ts'
import { ApiError } from './errors/api-error.ts'
import { answerClientError, answerConnect, answerExpectation, wrongMethod } from './errors/client-error.ts'
import { problemBody, problemMediaType } from './errors/problem-body.ts'
import { FacadeError, serveFacade } from './facade/serve-facade.ts'
import { ignoreUpgrades } from './ignore-upgrade.ts'
import { RequestTurns } from './request-turns.ts'
import type { Route } from './route.ts'
import { allowedMethods, hasHead, shadowedMethods, urlsOf } from './route-urls.ts'
import { type Gates, serveRoute } from './serve-route.ts'

export interface ServerParts extends Omit<Gates, 'largeBodies'> {
  readonly routes: readonly Route[]
  /** Receives internal errors and database outages, but no mistakes of callers. */
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void }
  /** Creates the id of a request without an `X-Request-Id` header. */
  readonly requestId: () => string
  /** Networks whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[]
  readonly limits?: Partial<ServerLimits> | undefined
  /** Answers GET requests for paths that have no route. */
  readonly console?: ServeConsole | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /**
   * Returns true for upgrades that another listener handles. Any other request is answered as if it had no `Upgrade`
   * header.
   */
  readonly isUpgrade?: ((request: IncomingMessage) => boolean) | undefined
  /** Called after the answer to a request for a route. */
  readonly observe?: ((route: Route, status: number, seconds: number) => void) | undefined
  /** Returns why the database is unavailable, if the reason is known. */
  readonly databaseProblem?: (() => string | undefined) | undefined
  /** Checks every answer, in tests only. An exception turns the answer into a 500. */
  readonly checkAnswer?: ((route: Route, answer: Answer) => void) | undefined
}

/** The parts of the server that report requests that failed without a mistake of the caller. */
interface Faults {
  readonly log: ServerParts['log']
  readonly noteUnavailable: (details: object, reason: string) => void
  readonly databaseProblem: () => string | undefined
}

/** Builds the HTTP server of a route table. The caller starts and closes it. */
export function buildServer(given: ServerParts): FastifyInstance {
  const parts = { ...given, largeBodies: new LargeBodies() }
  const limits = { ...SERVER_LIMITS, ...parts.limits }
  const faults: Faults = {
    log: parts.log,
    noteUnavailable: unavailableNotices(parts.log),
    databaseProblem: parts.databaseProblem ?? (() => undefined),
  }
  const turns = new RequestTurns(limits)
  const server = Fastify(serverOptions(parts, limits, faults, turns)) as unknown as FastifyInstance
  server.server.maxConnections = limits.connections
  server.server.on('checkExpectation', (_, response) => answerExpectation(response, parts.requestId()))
  server.server.on('connect', ({ url = '' }, socket) => {
    answerConnect(socket as Socket, allowedMethods(parts.routes)(url), parts.requestId())
  })
  ignoreUpgrades(server.server, parts.isUpgrade ?? (() => false))
  // `readJsonBody` reads bodies after authentication, so the framework must not read them.
  for (const method of METHODS) server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  turns.watchUpgrades(server.server)
  server.addHook('onRequest', ({ raw }, reply, done) => turns.take(raw, reply.raw, done))
  server.addHook('onRequest', (request, _, done) => done(hostProblem(request)))
  for (const route of parts.routes) addRoute(server, route, parts, faults)
  answerTheRest(server, parts, faults)
  return server
}

function serverOptions(
  { requestId, trustedProxies, tls }: ServerParts,
  limits: ServerLimits,
  faults: Faults,
  turns: RequestTurns,
) {
  const http = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Node would refuse the request without an explanation. `hostProblem` refuses it with an explanation.
    requireHostHeader: false,
    connectionsCheckingInterval: limits.checkingIntervalMs,
  }
  return {
    // The framework uses `https` if it is set, otherwise `http`.
    ...(tls ? { https: { ...http, cert: tls.cert, key: tls.key } } : { http }),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Never use a number or `true` here, because both trust any client.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // While the server drains, it answers requests on open connections with `Connection: close`.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      // A program whose base URL ends with a slash asks for `/3rdparty/v1//messages`.
      ignoreDuplicateSlashes: true,
      maxParamLength: limits.paramLength,
      querystringParser: () => ({}),
    },
    genReqId: ({ headers }: { headers: Record<string, unknown> }) =>
      saneRequestId(headers['x-request-id']) ?? requestId(),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendError(reply, request, error, faults),
    clientErrorHandler: (error: Error, socket: Socket) => answerClientError(error, socket, requestId(), turns),
  }
}

/** Returns the request id that the caller sent, if it is short and safe in logs and headers. */
function saneRequestId(header: unknown): string | undefined {
  return typeof header === 'string' && /^[\w.:/+=@-]{1,128}$/.test(header) ? header : undefined
}

function addRoute(server: FastifyInstance, route: Route, parts: ServerParts & Gates, faults: Faults): void {
  for (const { base, path } of urlsOf(route)) {
    server.route({
      method: route.method,
      url: pattern(path),
      exposeHeadRoute: hasHead(route),
      handler: async (request, reply) => {
        const started = performance.now()
        try {
          const { facade } = route.endpoint
          const answer = await (facade
            ? serveFacade(route, facade, parts, request)
            : serveRoute(route, base, parts, request))
          parts.checkAnswer?.(route, answer)
          if (answer.stream)
            sendStream(reply, { ...headersOf(request), ...answer.headers }, answer.stream, route.endpoint.mediaType)
          else {
            const sent = route.endpoint.isCompressible ? await compressedAnswer(answer, request.headers) : answer
            sendAnswer(reply, request, sent, route.endpoint.mediaType)
          }
        } catch (error) {
          sendError(reply, request, checkedError(route, error, parts, request), faults, route)
        }
        parts.observe?.(route, reply.statusCode, (performance.now() - started) / 1000)
        return reply
      },
    })
  }
}

/** Returns the error, or the mismatch that `checkAnswer` throws for the answer to this error. */
function checkedError(route: Route, error: unknown, { checkAnswer }: ServerParts, request: FastifyRequest): unknown {
  const cause = error instanceof FacadeError ? error.cause : error
  if (!(cause instanceof ApiError)) return error
  try {
    checkAnswer?.(route, errorAnswer(cause, error, route, request))
    return error
  } catch (mismatch) {
    return mismatch
  }
}

/** Refuses a missing or repeated Host header, because a proxy could read a different host (RFC 9112 §3.2). */
function hostProblem({ raw: { httpVersion, rawHeaders } }: FastifyRequest): ApiError | undefined {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return undefined
  return new ApiError(400, `The request has ${count} Host headers: send exactly one`)
}

/** Answers requests whose path or method has no route. */
function answerTheRest(server: FastifyInstance, { routes, console }: ServerParts, faults: Faults): void {
  const allowedAt = allowedMethods(routes)
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = allowedAt(path)
    const isGet = request.method === 'GET' || request.method === 'HEAD'
    const page = allowed || !isGet ? undefined : console?.({ path, headers: request.headers })
    if (page) return sendAnswer(reply, request, page.answer, page.mediaType)
    if (!allowed) return sendError(reply, request, new ApiError(404, 'No endpoint has this path: see /docs'), faults)
    if (request.method === 'OPTIONS')
      return sendAnswer(reply, request, { status: 204, headers: { allow: allowed.join(', ') } })
    sendError(reply, request, wrongMethod(request.method, allowed), faults)
  }
  for (const { path, methods } of shadowedMethods(routes))
    server.route({ method: methods, url: pattern(path), handler: answer })
  server.setNotFoundHandler(answer)
  server.setErrorHandler((error, request, reply) => sendError(reply, request, error, faults))
}

/** Converts `{name}` to `:name`, the syntax of the router. */
function pattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function sendError(
  reply: FastifyReply,
  request: FastifyRequest,
  error: unknown,
  { log, noteUnavailable, databaseProblem }: Faults,
  route?: Route,
): void {
  const cause = error instanceof FacadeError ? error.cause : error
  const problem = isDatabaseUnavailable(cause) ? databaseProblem() : undefined
  const shown = publicError(cause, problem)
  if (shown.status === 500)
    log.error({ requestId: request.id, ...faultDetails(cause) }, 'request failed with an internal error')
  else if (shown !== cause && shown.status === 503)
    noteUnavailable({ requestId: request.id, ...faultDetails(cause) }, problem ?? 'database unavailable')
  sendAnswer(
    reply,
    request,
    errorAnswer(shown, error, route, request),
    route?.endpoint.facade && route.endpoint.mediaType,
  )
}

/** Returns the answer for an error: a problem, or the answer in the form of another product's interface. */
function errorAnswer(shown: ApiError, error: unknown, route: Route | undefined, request: FastifyRequest): Answer {
  const { facade } = route?.endpoint ?? {}
  if (facade && error instanceof FacadeError) {
    const answer = facade.refuse(shown, error.request)
    return answer.status === shown.status ? { ...answer, headers: { ...shown.headers, ...answer.headers } } : answer
  }
  const challenge = shown.status === 401 && isFromPage(request) ? { 'WWW-Authenticate': BEARER } : {}
  const headers = { 'content-type': problemMediaType(request.headers.accept), ...shown.headers, ...challenge }
  return { status: shown.status, body: problemBody(shown, request.id), headers }
}

/** Converts any error to the answer for the caller. */
function publicError(error: unknown, problem = UNAVAILABLE): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseUnavailable(error)) return new ApiError(503, problem, { headers: { 'retry-after': '5' } })
  switch ((error as { code?: unknown } | undefined)?.code) {
    case 'FST_ERR_BAD_URL':
      return new ApiError(400, 'The path is not a valid URL: encode a literal % as %25')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError(404, 'Nothing has this id')
    default:
      return new ApiError(500, 'Internal error: try again, and report the requestId to the operator')
  }
}

const UNAVAILABLE = 'The database is unavailable: try again in a few seconds'

/**
 * Returns true if a script of a page sent the request. Such requests get no Basic challenge, because browsers would
 * open a login dialog over the page. Over plain HTTP browsers send no `Sec-Fetch-*` headers, so the console's own
 * header or cookie is checked instead.
 */
function isFromPage({ headers, url, protocol }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode !== 'navigate'
  if (
    headers['x-requested-with'] !== undefined ||
    readSessionCookie(headers.cookie, protocol === 'https') !== undefined
  )
    return true
  return /\/session\/?(\?|$)/.test(url)
}

/** Limits that prevent a client from blocking others. */
interface ServerLimits {
  /** Total size of all headers. Larger headers are answered with 431. */
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  /** Time for headers and body. A slower request is answered with 408. */
  readonly requestTimeoutMs: number
  /** How long an idle connection stays open. Load balancers usually wait less, so that they close connections first. */
  readonly keepAliveTimeoutMs: number
  /** Interval of the check for slow requests. */
  readonly checkingIntervalMs: number
  /** Maximum length of an encoded id in a path. An id has up to 36 characters of up to four octets. */
  readonly paramLength: number
  readonly connections: number
}

const SERVER_LIMITS: ServerLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  checkingIntervalMs: 2_000,
  paramLength: 512,
  connections: 20_000,
}

/**
 * Logs that requests fail because the database is unavailable. The first failure is logged at once. After that, one
 * line per period reports the number of further failures. During an outage, a line per request would fill the disk.
 */
export function unavailableNotices(log: {
  warn(details: object, message: string): void
}): (details: object, reason: string) => void {
  let failed: number | undefined
  let latest = { details: {}, reason: '' }
  const write = (requests: number) => {
    log.warn({ ...latest.details, requests }, `requests answered with 503: ${latest.reason}`)
    failed = 0
    setTimeout(endPeriod, PERIOD_MS).unref()
  }
  const endPeriod = () => {
    if (failed) write(failed)
    else failed = undefined
  }
  return (details, reason) => {
    latest = { details, reason }
    if (failed === undefined) write(1)
    else failed += 1
  }
}

const PERIOD_MS = 10_000
