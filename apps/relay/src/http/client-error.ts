import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from './api-error.ts'
import { problemBody } from './problem-body.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Answers what is no HTTP at all, or comes too slowly, and ends the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = refusalOf(error.code)
  const { headers, body } = rawAnswer(refusal, requestId)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n`
  socket.end(head + body, () => socket.destroy())
}

/** `Expect` can ask for nothing but a leave to go on with the body. */
export function answerExpectation(response: ServerResponse, requestId: string): void {
  const refusal = new ApiError(417, 'Only 100-continue can be expected: leave the header Expect out')
  const { headers, body } = rawAnswer(refusal, requestId)
  response.writeHead(refusal.status, headers).end(body)
}

function rawAnswer(refusal: ApiError, requestId: string) {
  const body = JSON.stringify(problemBody(refusal, requestId))
  const headers = {
    ...SECURITY_HEADERS,
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
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError(408, 'The request did not arrive in time: send it again, faster')
  return new ApiError(400, 'This is not valid HTTP')
}
