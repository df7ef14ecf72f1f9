import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { ANSWER_HEADERS } from '../../http/answer/answer-headers.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { problemBody, problemMediaType } from '../../http/errors/problem-body.ts'

/** The seconds after which a client may try again. */
const RETRY_AFTER_SECONDS = 2

/**
 * Answers with a problem, in the form of the relay, and closes the connection if the body of the request was not read.
 */
export function answerProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: ApiError,
  requestId: string,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const body = JSON.stringify(problemBody(problem, requestId))
  response.writeHead(problem.status, STATUS_CODES[problem.status], {
    ...ANSWER_HEADERS,
    ...problem.headers,
    'content-type': problemMediaType(request.headers.accept),
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    ...(!request.complete && { connection: 'close' }),
  })
  if (request.method !== 'HEAD') response.write(body)
  endAfterBody(request, response)
}

/**
 * Ends an answer that the client gets before its body was read. Reads the rest of the body for a moment: if data were
 * left unread, the connection would be reset before the client reads the answer.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return void response.end()
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, LINGER_MS)
  request.once('end', finish)
  request.resume()
}

const LINGER_MS = 1_000

/** Returns a 503 that asks the client to try again soon. */
export function unavailable(message: string): ApiError {
  return new ApiError(503, message, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } })
}

export const CELL_UNAVAILABLE = 'The relays of this account are unavailable: try again in a few seconds'
export const ACCOUNT_MOVING = 'The account is moving to other relays: try again in a few seconds'
export const DIRECTORY_UNAVAILABLE = 'The directory of accounts is unavailable: try again in a few seconds'
