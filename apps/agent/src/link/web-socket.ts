import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { WebSocket } from 'ws'
import type { LinkSocket, OpenSocket, SocketListener } from './link-socket.ts'

/** Returns a function that opens WebSockets to a relay. */
export function webSocketTo(url: string): OpenSocket {
  return (listener) => open(url, listener)
}

function open(url: string, listener: SocketListener): LinkSocket {
  const socket = new WebSocket(url, [subprotocol], {
    maxPayload: maxFrameBytes,
    // The limit for the fragments of one frame; relays do not fragment.
    maxFragments: 1_024,
    perMessageDeflate: false,
    // Automatic pongs would accumulate in memory if the relay did not read them.
    autoPong: false,
    handshakeTimeout: handshakeMs,
    followRedirects: false,
    finishRequest(request) {
      request.once('socket', (tcp) => tcp.once('connect', () => listener.onReached?.()))
      request.end()
    },
  })
  let problem: Problem | undefined
  let isClosed = false
  const end = (code: number, reason: string) => {
    if (isClosed) return
    isClosed = true
    if (problem?.unreachable === undefined) listener.onClosed(code, reason || (problem?.reason ?? ''))
    else listener.onUnreachable({ reason: problem.reason, ...problem.unreachable })
  }
  let isOpen = false
  socket.on('open', () => {
    isOpen = true
    listener.onOpened()
  })
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(unsupportedData, 'text frames only')
    else listener.onText(data.toString())
  })
  socket.on('ping', (data) => {
    if (socket.bufferedAmount < maxBufferedBytes) socket.pong(data)
  })
  socket.on('error', (error) => {
    problem = { reason: explain(error), unreachable: isOpen ? undefined : unreachableBy(error) }
  })
  socket.on('close', (code, reason) => end(code, reason.toString()))
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send(text)
      if (socket.bufferedAmount > maxBufferedBytes) socket.terminate()
    },
    close(code, reason) {
      socket.close(code, cut(reason))
      setTimeout(() => socket.terminate(), closeMs).unref()
    },
  }
}

/** Explains an error and its solution in one line. */
function explain(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (code === 'ECONNREFUSED')
    return 'connection refused: check that the relay is running and that RELAY_URL is correct'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host name: check RELAY_URL and the network'
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/i.test(code)) {
    return `the certificate is not trusted (${code}): for a private CA, set NODE_EXTRA_CA_CERTS to its certificate file`
  }
  if (/wrong version number|EPROTO/i.test(`${code} ${message}`))
    return 'the server does not use TLS: check RELAY_URL, it may have to start with ws://'
  const status = /Unexpected server response: (\d{3})/.exec(message)?.[1]
  if (status !== undefined)
    return `the server answered with HTTP ${status}: check that RELAY_URL is the address of a relay`
  return message
}

interface Problem {
  readonly reason: string
  /** The reason why no relay was reached. Undefined if a relay answered, or may be too busy to answer. */
  readonly unreachable: { readonly isProxied: boolean } | undefined
}

function unreachableBy({ code = '', message }: NodeJS.ErrnoException): Problem['unreachable'] {
  if (unreachableCodes.has(code)) return { isProxied: false }
  // HTTP 502 (Bad Gateway) and 503 (Service Unavailable) come from a proxy, because a relay never sends these codes.
  return /Unexpected server response: 50[23]$/.test(message) ? { isProxied: true } : undefined
}

/** Shortens a reason to the limit of a close frame, 123 octets (RFC 6455). */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 120)
    .toString()
    .replace(/\uFFFD$/, '')
}

const unreachableCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
])
/** Longer than the time limits of the session, so that the session closes the socket first. */
const handshakeMs = 300_000
const closeMs = 3_000
/** The flow control keeps the buffer below this size, so a larger buffer means that the relay does not read. */
const maxBufferedBytes = 4 * 1_048_576
const unsupportedData = 1003
