import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '../http/errors/api-error.ts'
import { ArrivalLimits } from './arrival-limits.ts'
import type { ConnectedAgents } from './connected-agents.ts'
import { Refusals } from './refusals.ts'
import type { RoutedChallenge } from './routed-challenge.ts'

/** The path of the agents' WebSocket. */
const AGENTS_PATH = '/agent/v1'

/**
 * Returns true if a request is the upgrade of an agent. Any other request is answered according to its path, even if it
 * offers an upgrade.
 */
export function isAgentUpgrade({ url = '', headers }: IncomingMessage): boolean {
  const offered = (headers.upgrade ?? '').split(',').map((name) => name.trim().toLowerCase())
  return url.split('?')[0] === AGENTS_PATH && offered.includes('websocket')
}

/**
 * Accepts WebSockets of agents on an HTTP server. A socket must authenticate within 15 seconds, and the size of its
 * frames is limited. Connections are rate-limited per address and in total.
 */
export function serveAgents(
  server: Server,
  sockets: ConnectedAgents,
  options: {
    readonly addressOf: (request: IncomingMessage) => string
    readonly nowMs: () => number
    readonly requestId: () => string
    /** Returns the challenge that a router has already sent to the agent; undefined if there was no router. */
    readonly challengeOf?: (request: IncomingMessage) => RoutedChallenge | undefined
  },
): { readonly close: () => Promise<void> } {
  const webSockets = new WebSocketServer(settings)
  const limits = new ArrivalLimits()
  const refusals = new Refusals(options.requestId)
  let isClosed = false
  webSockets.on('wsClientError', ({ message }, socket: Duplex) =>
    refusals.now(socket, new ApiError(400, `The upgrade is not valid: ${message}`)),
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isAgentUpgrade(request)) return
    socket.on('error', () => socket.destroy())
    const invalid = isClosed ? CLOSED : upgradeRefusal(request)
    if (invalid !== undefined) return refusals.now(socket, invalid)
    const address = options.addressOf(request)
    const challenge = options.challengeOf?.(request)
    const overLimit = arrivalRefusal(limits, address, options.nowMs())
    // A router tries the next relay as soon as one has refused.
    if (overLimit !== undefined)
      return challenge === undefined ? refusals.late(socket, overLimit) : refusals.now(socket, overLimit)
    // Sends the response and the first frame in one write, because writes are a large part of the cost of an admission.
    socket.cork()
    process.nextTick(() => socket.uncork())
    webSockets.handleUpgrade(request, socket, head, (webSocket) => host(webSocket, sockets, address, challenge))
  })
  return {
    /** Accepts no more sockets and waits until all sockets are closed. */
    async close() {
      isClosed = true
      refusals.close()
      await new Promise((resolve) => webSockets.close(resolve))
    },
  }
}

function host(
  webSocket: WebSocket,
  sockets: ConnectedAgents,
  address: string,
  challenge: RoutedChallenge | undefined,
): void {
  const session = sockets.accept(
    {
      send(text) {
        if (webSocket.readyState !== WebSocket.OPEN) return
        webSocket.send(text)
        // Terminates the connection. The data in flight is limited by the credit and the window, so more data than this
        // is buffered only if the agent does not read.
        if (webSocket.bufferedAmount > MOST_BUFFERED) webSocket.terminate()
      },
      close(code, reason) {
        webSocket.close(code, cut(reason))
      },
    },
    address,
    challenge,
  )
  webSocket.on('message', (data, isBinary) => {
    if (isBinary)
      session.step({ kind: 'refused', why: 'malformed', reason: 'binary frames are not supported: send text frames' })
    else session.step({ kind: 'received', text: data.toString() })
  })
  webSocket.on('ping', (data) => {
    if (webSocket.bufferedAmount < MOST_BUFFERED) webSocket.pong(data)
  })
  // Ignores the error, because the library sends a close frame with the reason and stops reading.
  webSocket.on('error', () => undefined)
  webSocket.on('close', (code) => session.step({ kind: 'closed', code }))
}

/** Returns why the upgrade is refused, or undefined when it is accepted. */
export function upgradeRefusal({ method, headers }: IncomingMessage): ApiError | undefined {
  if (method !== 'GET') return new ApiError(405, 'Agents connect with GET', { headers: { allow: 'GET' } })
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes(subprotocol))
    return new ApiError(400, `This endpoint requires the WebSocket subprotocol ${subprotocol}`)
  if (headers['sec-websocket-version'] !== VERSION)
    return new ApiError(426, `The only supported WebSocket version is ${VERSION}`, {
      headers: { upgrade: 'websocket', 'sec-websocket-version': VERSION },
    })
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    return new ApiError(400, 'The header Sec-WebSocket-Key must contain 16 octets in Base64')
  // Agents send no Origin header, so a request with this header comes from a web page.
  if (headers.origin !== undefined) return new ApiError(403, 'Browsers cannot connect as agents')
  return undefined
}

/** Counts a connection. Returns why it is refused, or undefined when it is within the limits. */
export function arrivalRefusal(limits: ArrivalLimits, address: string, nowMs: number): ApiError | undefined {
  const retryMs = limits.take(address, nowMs)
  if (retryMs === 0) return undefined
  const headers = { 'retry-after': String(Math.ceil(retryMs / 1000)) }
  return new ApiError(429, 'Too many new connections: try again later', { headers })
}

/** Shortens a close reason to at most 123 octets (RFC 6455). */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 120)
    .toString()
    .replace(/\uFFFD$/, '')
}

const CLOSED = new ApiError(503, 'The relay is shutting down: connect again', { headers: { 'retry-after': '2' } })
/** Of RFC 6455. */
const VERSION = '13'
const MOST_BUFFERED = 4 * 1_048_576

const settings = {
  noServer: true,
  maxPayload: maxFrameBytes,
  // The largest number of fragments per message. A normal agent does not split frames into small fragments.
  maxFragments: 1_024,
  perMessageDeflate: false,
  // Automatic pongs are switched off, because pongs for a client that does not read would fill the memory.
  autoPong: false,
  // How long to wait for the answer to a close frame.
  closeTimeout: 3_000,
  clientTracking: true,
  handleProtocols: (offered: ReadonlySet<string>) => (offered.has(subprotocol) ? subprotocol : false),
} as const
