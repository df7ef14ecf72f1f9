import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { WebSocket, WebSocketServer } from 'ws'
import { addressBlock } from '../auth/address-block.ts'
import { TokenBuckets } from '../auth/token-buckets.ts'
import type { AgentSockets } from './agent-sockets.ts'

/** Where agents connect. */
const AGENTS_PATH = '/agent/v1'

/**
 * Takes WebSockets of agents from an HTTP server. Who connects is nobody until it has signed: it has fifteen seconds for
 * that, a frame has a size, and an address cannot come as often as it likes.
 */
export function serveAgents(
  server: Server,
  sockets: AgentSockets,
  options: { readonly addressOf: (request: IncomingMessage) => string; readonly nowMs: () => number },
): { readonly close: () => Promise<void> } {
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  const buckets = new TokenBuckets({ capacity: 60, refillMs: 500, keys: 10_000 })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const address = options.addressOf(request)
    const refusal = refuse(request) ?? throttle(buckets, address, options.nowMs())
    if (refusal !== undefined) {
      socket.end(refusal, () => socket.destroy())
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => host(webSocket, sockets, address))
  })
  return {
    async close() {
      await patience(webSockets)
      for (const webSocket of webSockets.clients) webSocket.terminate()
      webSockets.close()
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
        setTimeout(() => webSocket.terminate(), CLOSE_MS).unref()
      },
    },
    address,
  )
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) webSocket.close(UNSUPPORTED_DATA, 'text frames only')
    else session.step({ kind: 'received', text: data.toString() })
  })
  // Tells what was wrong with its frames; `close` follows.
  webSocket.on('error', () => webSocket.terminate())
  webSocket.on('close', (code) => session.step({ kind: 'closed', code }))
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

function throttle(buckets: TokenBuckets, address: string, nowMs: number): string | undefined {
  const retryMs = buckets.take(addressBlock(address), nowMs)
  if (retryMs === 0) return undefined
  const seconds = Math.ceil(retryMs / 1000)
  return answer('429 Too Many Requests', 'this address connects too often', `Retry-After: ${seconds}\r\n`)
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

/** The close frames have been sent; whoever answers is let go in good order. */
async function patience(webSockets: WebSocketServer): Promise<void> {
  const until = performance.now() + CLOSE_MS
  while (webSockets.clients.size > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const MOST_BUFFERED = 4 * 1_048_576
const CLOSE_MS = 3_000
const UNSUPPORTED_DATA = 1003
