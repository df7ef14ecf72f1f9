import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { WebSocket, WebSocketServer } from 'ws'
import { addressBlock } from '../limits/address-block.ts'
import { TokenBuckets } from '../limits/token-buckets.ts'
import type { AgentSockets } from './agent-sockets.ts'

/** Where agents connect. */
const AGENTS_PATH = '/agent/v1'

/**
 * Takes WebSockets of agents from an HTTP server. Who connects is nobody until it has signed: it has fifteen seconds to
 * say who it is, a frame has a size, and neither an address nor all together can come as often as they like.
 */
export function serveAgents(
  server: Server,
  sockets: AgentSockets,
  options: { readonly addressOf: (request: IncomingMessage) => string; readonly nowMs: () => number },
): { readonly close: () => Promise<void> } {
  const webSockets = new WebSocketServer(settings)
  const arrivals = new Arrivals()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const address = options.addressOf(request)
    const refusal = refuse(request) ?? throttle(arrivals, address, options.nowMs())
    if (refusal !== undefined) {
      socket.end(refusal, () => socket.destroy())
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => host(webSocket, sockets, address))
  })
  return {
    /** Takes no more, and waits until those that were told to go are gone. */
    async close() {
      await new Promise((resolve) => webSockets.close(resolve))
    },
  }
}

function host(webSocket: WebSocket, sockets: AgentSockets, address: string): void {
  const session = sockets.accept(
    {
      send(text) {
        if (webSocket.readyState !== WebSocket.OPEN) return
        webSocket.send(text)
        // Credit and window bound what is under way: more than this is owed by somebody who does not read.
        if (webSocket.bufferedAmount > MOST_BUFFERED) webSocket.terminate()
      },
      close(code, reason) {
        webSocket.close(code, cut(reason))
      },
    },
    address,
  )
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) session.step({ kind: 'refused', why: 'malformed', reason: 'frames are text' })
    else session.step({ kind: 'received', text: data.toString() })
  })
  webSocket.on('ping', (data) => {
    if (webSocket.bufferedAmount < MOST_BUFFERED) webSocket.pong(data)
  })
  // The library tells with a close frame what was wrong with the bytes, and reads no more of them.
  webSocket.on('error', () => undefined)
  webSocket.on('close', (code) => session.step({ kind: 'closed', code }))
}

/** How often may connections begin: from one address, behind which a site may have its whole fleet, and in all. */
class Arrivals {
  readonly #ofAddress = new TokenBuckets({ capacity: 200, refillMs: 50, keys: 10_000 })
  /** As many as a relay holds: they may all come at once, when another one has ended. */
  readonly #ofAll = new TokenBuckets({ capacity: 5_000, refillMs: 5, keys: 1 })

  /** Counts one, or tells how many milliseconds the next one is away: 0 is a success. */
  take(address: string, nowMs: number): number {
    return this.#ofAddress.take(addressBlock(address), nowMs) || this.#ofAll.take('all', nowMs)
  }
}

/** The answer, when it is none of ours. */
function refuse({ url = '', headers }: IncomingMessage): string | undefined {
  if (url.split('?')[0] !== AGENTS_PATH) return answer('404 Not Found', `agents connect at ${AGENTS_PATH}`)
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes(subprotocol)) return answer('400 Bad Request', `the subprotocol ${subprotocol} is spoken here`)
  // A page in a browser has no business here.
  if (headers.origin !== undefined) return answer('403 Forbidden', 'browsers are not agents')
  return undefined
}

function throttle(arrivals: Arrivals, address: string, nowMs: number): string | undefined {
  const retryMs = arrivals.take(address, nowMs)
  if (retryMs === 0) return undefined
  const seconds = Math.ceil(retryMs / 1000)
  return answer('429 Too Many Requests', 'too many connections begin here: try again', `Retry-After: ${seconds}\r\n`)
}

function answer(status: string, message: string, headers = ''): string {
  const body = JSON.stringify({ code: Number(status.slice(0, 3)), message })
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `${headers}Connection: close\r\n\r\n${body}`
  )
}

/** RFC 6455: a reason has 123 octets at most. */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 120)
    .toString()
    .replace(/\uFFFD$/, '')
}

const MOST_BUFFERED = 4 * 1_048_576

const settings = {
  noServer: true,
  maxPayload: maxFrameBytes,
  // Of one frame: nobody who means well sends it in crumbs.
  maxFragments: 1_024,
  perMessageDeflate: false,
  // Answers to pings that nobody reads would pile up.
  autoPong: false,
  // For the answer to a close frame.
  closeTimeout: 3_000,
  clientTracking: true,
  handleProtocols: (offered: ReadonlySet<string>) => (offered.has(subprotocol) ? subprotocol : false),
} as const
