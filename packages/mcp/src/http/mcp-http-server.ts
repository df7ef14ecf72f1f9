import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import { ApiError } from '@smsgw/client/errors'
import { createMcpServer } from '../mcp-server.ts'
import { RefusedRequest, readRequest, sendResponse } from './web-request.ts'

export const MCP_PATH = '/mcp'

export interface McpHttpOptions {
  readonly host: string
  readonly port: number
  /** The host names that clients use, without ports. Other values of `Host` and `Origin` are refused. */
  readonly allowedHosts: readonly string[]
  /** Creates a client of the API with the key of the caller. */
  readonly connect: (apiKey: string) => SmsGateway
  readonly version: string
  /** Receives errors of single requests. */
  readonly onError: (error: Error) => void
}

/** The largest number of connections, and of requests that are being answered. A waiting tool uses one of each. */
const MOST_CONNECTIONS = 1_000
const MOST_OPEN = 500
const MOST_OPEN_OF_KEY = 20
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const KEEP_ALIVE_MS = 5_000
/** The interval between two checks for slow clients. */
const CHECK_MS = 2_000

/**
 * Serves MCP over streamable HTTP. Each request contains the API key of its caller and is served separately. There are
 * no sessions that could be stolen or stay open. Requests of web pages are refused unless their origin is allowed.
 */
export class McpHttpServer {
  readonly #options: McpHttpOptions
  readonly #handler: McpHttpHandler
  readonly #server: Server
  /** Aborted when the server stops, so that the tools that wait are ended. */
  readonly #stopping = new AbortController()
  /** The number of requests that are being answered, by API key. */
  readonly #open = new Map<string, number>()

  constructor(options: McpHttpOptions) {
    this.#options = options
    const { connect, version, onError } = options
    this.#handler = createMcpHandler(
      ({ authInfo }) => createMcpServer({ api: connect(authInfo?.token ?? ''), version }),
      { onerror: onError, maxSubscriptions: MOST_OPEN_OF_KEY },
    )
    this.#server = createServer(
      {
        ...{ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS },
        connectionsCheckingInterval: CHECK_MS,
      },
      (request, response) => void this.#answer(request, response),
    )
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** Returns the port. */
  async listen(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await this.#handler.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController()
    outgoing.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, this.#stopping.signal])
    try {
      this.#checkAddress(incoming)
      const apiKey = keyOf(incoming)
      const leave = this.#enter(apiKey)
      try {
        await this.#checkKey(apiKey, signal)
        const request = await readRequest(incoming, signal)
        const authInfo = { token: apiKey, clientId: 'api-key', scopes: [] }
        await sendResponse(await this.#handler.fetch(request, { authInfo }), outgoing, signal)
      } finally {
        leave()
      }
    } catch (error) {
      if (signal.aborted) outgoing.destroy()
      else this.#refuse(error as Error, outgoing)
    }
  }

  #checkAddress({ url = '', headers }: IncomingMessage): void {
    const { allowedHosts } = this.#options
    if (url.split('?', 1)[0] !== MCP_PATH) throw new RefusedRequest(404, `Not found: the MCP server is at ${MCP_PATH}`)
    const name = nameOfHost(headers.host)
    if (name === undefined || !allowedHosts.includes(name))
      throw new RefusedRequest(403, `Host ${JSON.stringify(name ?? '')} is not allowed: add it to MCP_ALLOWED_HOSTS`)
    if (headers.origin !== undefined && !isAllowedOrigin(headers.origin, allowedHosts))
      throw new RefusedRequest(403, 'This origin is not allowed: add its host to MCP_ALLOWED_HOSTS')
  }

  /** Counts the request until the returned function is called. */
  #enter(apiKey: string): () => void {
    const ofKey = this.#open.get(apiKey) ?? 0
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0)
    if (ofKey >= MOST_OPEN_OF_KEY || all >= MOST_OPEN)
      throw new RefusedRequest(429, 'Too many requests are open: wait until some have been answered', {
        'retry-after': '5',
      })
    this.#open.set(apiKey, ofKey + 1)
    return () => {
      const left = (this.#open.get(apiKey) ?? 1) - 1
      if (left > 0) this.#open.set(apiKey, left)
      else this.#open.delete(apiKey)
    }
  }

  /** Asks the API whether the key is valid. */
  async #checkKey(apiKey: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.connect(apiKey).request({ method: 'GET', path: '/session', signal })
    } catch (error) {
      if (signal.aborted) throw error
      if (!(error instanceof ApiError))
        throw new RefusedRequest(503, 'The SMS gateway cannot be reached: try again later')
      const challenge = error.status === 401 ? CHALLENGE : {}
      throw new RefusedRequest(error.status, error.message, challenge)
    }
  }

  #refuse(error: Error, outgoing: ServerResponse): void {
    if (!(error instanceof RefusedRequest)) this.#options.onError(error)
    if (outgoing.headersSent) {
      outgoing.destroy()
      return
    }
    const { status, headers } = error instanceof RefusedRequest ? error : { status: 500, headers: {} }
    const message = error instanceof RefusedRequest ? error.message : 'Internal error'
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
    // Does not read the rest of a refused request.
    outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers }).end(body)
  }
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="smsgw"' }

function keyOf({ headers }: IncomingMessage): string {
  const [, bearer] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '') ?? []
  if (bearer !== undefined) return bearer
  throw new RefusedRequest(401, 'An API key is missing: send the header Authorization: Bearer smsgw_live_…', CHALLENGE)
}

/**
 * Returns the name in a `Host` header in lower case, without its port, or undefined if the header is missing or wrong.
 */
function nameOfHost(header: string | undefined): string | undefined {
  if (header === undefined || !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(header)) return undefined
  return header.replace(/:\d{1,5}$/, '').toLowerCase()
}

/**
 * Returns true if a web page with this origin may send requests. Without this check, any web page could use this server
 * through the browser of its user, for example by DNS rebinding. The origin `null` of files and sandboxes is not
 * allowed.
 */
function isAllowedOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  const url = URL.parse(origin)
  return url !== null && /^https?:$/.test(url.protocol) && allowedHosts.includes(url.hostname.toLowerCase())
}
