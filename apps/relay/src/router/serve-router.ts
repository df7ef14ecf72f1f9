import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { listenProblem } from '@smsgw/daemon/listen-problem'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { VERSION } from '@smsgw/daemon/version'
import { readCertificate, renewCertificate } from '../certificate.ts'
import type { RelayConfig } from '../config.ts'
import type { CoreDeps } from '../core-deps.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { answerClientError, answerConnect, answerExpectation } from '../http/errors/client-error.ts'
import { ignoreUpgrades } from '../http/ignore-upgrade.ts'
import { RequestTurns } from '../http/request-turns.ts'
import { isAgentUpgrade } from '../link/serve-agents.ts'
import { newId, systemRandom } from '../random.ts'
import { AgentRouter } from './agents/route-agents.ts'
import { decodedPath } from './claims/decoded-path.ts'
import type { Placements } from './directory/placements.ts'
import type { clientFacts } from './proxy/forwarded-headers.ts'
import { MergedKeys } from './proxy/merged-keys.ts'
import { answerProblem, CELL_UNAVAILABLE, unavailable } from './proxy/problem-answer.ts'
import type { RelayPool } from './proxy/relay-pool.ts'
import { directoryProblem, RequestRouter } from './proxy/route-request.ts'

const HEADER_BYTES = 16 * 1024
const HEADERS_MS = 10_000
/** Longer than the limit of the relay, so that the relay answers a body that arrives too slowly. */
const REQUEST_MS = 60_000
const KEEP_ALIVE_MS = 65_000
const MOST_CONNECTIONS = 60_000
const FINISH_MS = 25_000

export type ServedConfig = Pick<RelayConfig, 'PORT' | 'HOST' | 'TLS_CERT' | 'TLS_KEY'>

export interface RouterParts extends Pick<CoreDeps, 'box' | 'random'> {
  readonly placements: Placements
  readonly pool: RelayPool
  readonly routerId: string
  readonly log: Log
  readonly clientOf: ReturnType<typeof clientFacts>
}

/** Starts the HTTP server of a router. */
export async function serveRouter(config: ServedConfig, parts: RouterParts) {
  const { log, pool, placements, clientOf } = parts
  const requests = new RequestRouter(parts)
  const keys = new MergedKeys(pool)
  const state = { isDraining: false }
  const isReady = () => !state.isDraining && pool.cells.some((cell) => pool.hasHealthy(cell))
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const requestId = newId(systemRandom)
    const problem = requestProblem(request)
    if (problem !== undefined) return answerProblem(request, response, problem, requestId)
    const path = decodedPath(request.url ?? '')
    if (HEALTH.test(path)) return answerHealth(response, path.endsWith('/live') || isReady(), placements.ageMs)
    if (path === '/.well-known/jwks.json' && (request.method === 'GET' || request.method === 'HEAD')) {
      const set = await keys.read()
      if (set === undefined) return answerProblem(request, response, unavailable(CELL_UNAVAILABLE), requestId)
      return answerJson(response, 200, set, { 'cache-control': 'public, max-age=3600' })
    }
    const unrouted = await requests.route(request, response, clientOf(request)).catch((error) => {
      if (!response.destroyed) log.warn({ err: error, requestId }, 'request not routed: directory unavailable')
      return directoryProblem()
    })
    if (unrouted !== undefined) answerProblem(request, response, unrouted, requestId)
  }
  const turns = new RequestTurns({ headersTimeoutMs: HEADERS_MS, requestTimeoutMs: REQUEST_MS })
  const server = createHttpServer(config, turns, (request, response) => {
    response.on('error', () => response.destroy())
    turns.take(request, response, () => {
      handle(request, response).catch((error) => {
        log.error({ err: error }, 'request failed with an internal error')
        response.destroy()
      })
    })
  })
  turns.watchUpgrades(server)
  const agents = new AgentRouter(server, parts)
  const endWatch = watchCertificate(server, config, log)
  const url = await listen(server, config)
  return {
    ...{ url, agents, state },
    async close() {
      endWatch?.()
      agents.close()
      const ended = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const deadline = setTimeout(() => server.closeAllConnections(), FINISH_MS)
      await ended
      clearTimeout(deadline)
    },
  }
}

/**
 * The health of the router itself. A health request under a prefix of the API is sent to a relay, which returns its own
 * health.
 */
const HEALTH = /^\/health(?:\/(?:live|ready|startup))?$/

type Handler = (request: IncomingMessage, response: ServerResponse) => void

function createHttpServer(
  { TLS_CERT: cert, TLS_KEY: key }: ServedConfig,
  turns: RequestTurns,
  handler: Handler,
): Server {
  const options = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The router explains the refusal of a request without this header.
    requireHostHeader: false,
  }
  const server: Server =
    cert === undefined || key === undefined
      ? createServer(options, handler)
      : createTlsServer({ ...options, ...readCertificate({ cert, key }) }, handler)
  server.maxConnections = MOST_CONNECTIONS
  // The relay decides whether the client may send its body.
  server.on('checkContinue', handler)
  server.on('checkExpectation', (_, response) => answerExpectation(response, newId(systemRandom)))
  server.on('connect', (_, socket) => answerConnect(socket as Socket, undefined, newId(systemRandom)))
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket, newId(systemRandom), turns))
  ignoreUpgrades(server, isAgentUpgrade)
  return server
}

function watchCertificate(server: Server, { TLS_CERT: cert, TLS_KEY: key }: ServedConfig, log: Log) {
  return cert === undefined || key === undefined ? undefined : renewCertificate(server as TlsServer, { cert, key }, log)
}

function listen(server: Server, { HOST: host, PORT: port, TLS_CERT: cert }: ServedConfig): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new StartError(listenProblem(error, { host, port }), { cause: error })))
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      const shown = host.includes(':') ? `[${host}]` : host
      resolve(`${cert === undefined ? 'http' : 'https'}://${shown}:${(server.address() as AddressInfo).port}`)
    })
  })
}

function answerHealth(response: ServerResponse, isPassed: boolean, directoryAgeMs: number): void {
  const directory = directoryAgeMs < DIRECTORY_LATE_MS ? 'pass' : 'warn'
  const body = { status: isPassed ? 'pass' : 'fail', version: VERSION, checks: { directory: { status: directory } } }
  answerJson(response, isPassed ? 200 : 503, body, { 'cache-control': 'no-store' })
}

const DIRECTORY_LATE_MS = 5_000

function answerJson(response: ServerResponse, status: number, body: object, headers: Record<string, string>): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : text)
}

/**
 * Returns why a request is refused before it is routed, or undefined. Requests that two servers could read differently
 * are refused, so that no request is hidden in the body of another one (RFC 9112 §11.2).
 */
function requestProblem({ url = '', method, httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  const hosts = count(rawHeaders, 'host')
  if (hosts !== 1 && !(hosts === 0 && httpVersion === '1.0'))
    return new ApiError(400, `The request has ${hosts} Host headers: send exactly one`)
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS'))
    return new ApiError(400, 'The request target must be a path, because this server is not a proxy')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    return new ApiError(400, 'Use HTTP/1.1 with the transfer coding "chunked": no other transfer coding is supported')
  if (coding !== undefined && count(rawHeaders, 'content-length') > 0)
    return new ApiError(400, 'The request has a Content-Length and a Transfer-Encoding: send only one of them')
  if (count(rawHeaders, 'content-length') > 1)
    return new ApiError(400, 'The request has several Content-Length headers: send exactly one')
  return undefined
}

function count(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length
}
