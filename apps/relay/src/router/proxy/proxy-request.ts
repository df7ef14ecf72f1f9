import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../http/errors/api-error.ts'
import { decodedPath } from '../claims/decoded-path.ts'
import { type ClientFacts, headersForClient, headersForRelay } from './forwarded-headers.ts'
import { CELL_UNAVAILABLE, endAfterBody, unavailable } from './problem-answer.ts'
import { basePath, type RelayPool, type RelayTarget } from './relay-pool.ts'

/** How long a relay may take to begin its answer. Longer than the relay's own limits for a request and a statement. */
const ANSWER_MS = 75_000
const CONNECT_MS = 3_000

export interface ProxiedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly client: ClientFacts
  /** The part of the body that was already read. */
  readonly start?: Buffer | undefined
  /** Registers the attempt, or returns undefined if the account is no longer in this cell. */
  readonly enter: () => (() => void) | undefined
  /** Receives the function that ends the request. A stream of events never ends, so nothing may wait for its end. */
  readonly onAbortable: (abort: () => void, isStream: boolean) => void
}

/** `moved`: nothing was sent, because the account is no longer in this cell. */
export type ProxyResult = 'answered' | 'moved' | ApiError

/**
 * Sends a request to a relay of a cell and streams the answer to the client. Neither body is held in memory. The next
 * relay is tried if nothing was sent to the previous one, or if the request is safe and has no body. Resolves when the
 * answer has ended.
 */
export async function proxyRequest(pool: RelayPool, cell: string, proxied: ProxiedRequest): Promise<ProxyResult> {
  const leave = proxied.enter()
  if (leave === undefined) return 'moved'
  try {
    for (const target of pool.targets(cell)) {
      // The client may have disconnected during the look-up, and no further event would report this.
      if (proxied.response.destroyed) return 'answered'
      const outcome = await attempt(pool, target, proxied)
      if (outcome === 'answered') return 'answered'
      if (outcome === 'not sent') pool.reportRefused(target)
      else if (!isSafe(proxied.request)) return new ApiError(502, OUTCOME_UNKNOWN)
    }
    return unavailable(CELL_UNAVAILABLE)
  } finally {
    leave()
  }
}

const OUTCOME_UNKNOWN =
  'The relay did not answer, so it is unknown whether the request took effect: repeat it with the same Idempotency-Key or id'

const HAVE_BODIES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** `answered` also stands for a client that has disconnected. */
type Outcome = 'answered' | 'not sent' | 'no answer'

function attempt(pool: RelayPool, target: RelayTarget, proxied: ProxiedRequest): Promise<Outcome> {
  const { request, response, client, start, onAbortable } = proxied
  const { method = 'GET', url = '/', rawHeaders } = request
  const headers = headersForRelay(start === undefined ? rawHeaders : withoutExpect(rawHeaders), client)
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked')
  // Otherwise, Node would add a chunked body to a request without a body.
  else if (request.headers['content-length'] === undefined && HAVE_BODIES.has(method))
    headers.push('Content-Length', '0')
  const sent = pool.request(target, { method, path: basePath(target.url) + url, headers })
  target.inFlight += 1
  return new Promise<Outcome>((resolve) => {
    let isConnected = false
    let isAnswered = false
    const timer = setTimeout(() => sent.destroy(new Error('the relay did not answer in time')), ANSWER_MS)
    const connecting = setTimeout(() => {
      if (!isConnected) sent.destroy(new Error('the relay did not accept the connection in time'))
    }, CONNECT_MS)
    const end = (outcome: Outcome) => {
      clearTimeout(timer)
      clearTimeout(connecting)
      response.off('close', onClientGone)
      request.off('error', onClientGone)
      resolve(outcome)
    }
    const onClientGone = () => {
      sent.destroy()
      end('answered')
    }
    response.once('close', onClientGone)
    request.once('error', onClientGone)
    onAbortable(() => {
      response.destroy()
      sent.destroy()
    }, false)
    sent.on('socket', (socket) => {
      const onConnect = () => {
        isConnected = true
        sendBody(request, sent, start)
      }
      if (socket.connecting) socket.once('secureConnect' in socket ? 'secureConnect' : 'connect', onConnect)
      else onConnect()
    })
    sent.on('continue', () => response.writeContinue())
    sent.on('response', (answer) => {
      isAnswered = true
      clearTimeout(timer)
      response.off('close', onClientGone)
      request.off('error', onClientGone)
      void passAnswer(proxied, sent, answer).then(() => end('answered'))
    })
    sent.on('error', () => {
      if (isAnswered) return
      request.unpipe(sent)
      end(isConnected ? 'no answer' : 'not sent')
    })
  }).finally(() => {
    target.inFlight -= 1
  })
}

/** If the start of the body was read, the client has already been asked to send the body. */
function withoutExpect(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== 'expect')
}

/** Sends the body when the connection is open, so that the next relay can get it if this one refuses the connection. */
function sendBody(request: IncomingMessage, sent: ClientRequest, start: Buffer | undefined): void {
  // The client may wait for `100 Continue` before it sends its body.
  sent.flushHeaders()
  if (start !== undefined) sent.write(start)
  if (request.complete && request.readableLength === 0) sent.end()
  else request.pipe(sent)
}

/** Streams the answer. If the relay breaks off, the connection to the client is broken off too. */
function passAnswer(
  { request, response, onAbortable }: ProxiedRequest,
  sent: ClientRequest,
  answer: IncomingMessage,
): Promise<void> {
  return new Promise((resolve) => {
    const headers = headersForClient(answer.rawHeaders)
    const isEarly = !request.complete
    if (isEarly) headers.push('Connection', 'close')
    const end = () => {
      answer.destroy()
      sent.destroy()
      resolve()
    }
    answer.once('error', () => response.destroy())
    if (response.destroyed) return end()
    response.once('close', end)
    if (/^text\/event-stream\b/i.test(answer.headers['content-type'] ?? ''))
      onAbortable(() => {
        response.end()
        sent.destroy()
      }, true)
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers)
    // The client of a stream must see the headers before the first event.
    if (answer.headers['content-length'] === undefined) response.flushHeaders()
    answer.on('data', (chunk: Buffer) => {
      if (!response.write(chunk)) answer.pause()
    })
    response.on('drain', () => answer.resume())
    answer.once('end', () => {
      request.unpipe(sent)
      endAfterBody(request, response)
    })
  })
}

/** True if the request changes nothing and can be sent again, because it has no body. */
function isSafe({ method, headers, url = '' }: IncomingMessage): boolean {
  // In interfaces of other products, a GET request sends a message.
  if (/\/(?:cgi-bin\/sendsms|http_api\/send_sms)$/.test(decodedPath(url))) return false
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
}
