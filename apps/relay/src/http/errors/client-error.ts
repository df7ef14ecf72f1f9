import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'
import type { RequestTurns } from '../request-turns.ts'
import { ApiError } from './api-error.ts'
import { problemBody } from './problem-body.ts'

/** Answers invalid HTTP and requests that arrive too slowly, and closes the connection. */
export function answerClientError(
  { code }: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
  turns: RequestTurns,
): void {
  const answer = () => {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseRaw(socket, refusalOf(code), requestId)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') turns.timeOut(socket, answer)
  else answer()
}

/**
 * Answers CONNECT with 405 when the path has a route, otherwise with 404. Node.js passes such a request to the program
 * as a raw socket.
 */
export function answerConnect(socket: Socket, allowed: readonly string[] | undefined, requestId: string): void {
  socket.on('error', () => socket.destroy())
  const refusal = allowed ? wrongMethod('CONNECT', allowed) : new ApiError(404, 'This server is not a proxy')
  refuseRaw(socket, refusal, requestId)
}

export function wrongMethod(method: string, allowed: readonly string[]): ApiError {
  const message = `${method} is not supported here: use ${allowed.slice(0, -1).join(' or ')}`
  return new ApiError(405, message, { headers: { allow: allowed.join(', ') } })
}

/** Answers on a raw socket, and closes it. */
export function refuseRaw(socket: Duplex, refusal: ApiError, requestId: string): void {
  const { headers, body } = rawAnswer(refusal, requestId)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n`
  socket.end(head + body, () => socket.destroy())
}

/** Refuses an `Expect` header with a value other than `100-continue`. */
export function answerExpectation(response: ServerResponse, requestId: string): void {
  const refusal = new ApiError(417, 'The only supported expectation is 100-continue: remove the header Expect')
  const { headers, body } = rawAnswer(refusal, requestId)
  response.writeHead(refusal.status, headers).end(body)
}

function rawAnswer(refusal: ApiError, requestId: string) {
  const body = JSON.stringify(problemBody(refusal, requestId))
  const headers = {
    ...ANSWER_HEADERS,
    ...refusal.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  }
  return { headers, body }
}

function refusalOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError(431, 'The headers are too large: send fewer or shorter ones')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new ApiError(413, 'The chunk extensions are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError(408, 'The request did not arrive in time: send it again')
  return new ApiError(400, 'The request is not valid HTTP')
}
