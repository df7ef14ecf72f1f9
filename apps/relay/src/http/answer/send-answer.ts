import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer, AnswerStream } from '../endpoint.ts'
import { ANSWER_HEADERS, STRICT_TRANSPORT, withCatalogLink } from './answer-headers.ts'
import { acceptedEncodings } from './static-file.ts'

/** Sends a complete answer. */
export function sendAnswer(reply: FastifyReply, request: FastifyRequest, answer: Answer, mediaType?: string): void {
  const { status, body, headers } = answer
  reply.code(status).headers(headersOf(request))
  if (body !== undefined) reply.header('content-type', mediaType ?? 'application/json; charset=utf-8')
  if (headers) reply.headers(headers)
  if (headers?.['Link']) reply.header('link', withCatalogLink(headers['Link']))
  const isRaw =
    body === undefined ||
    body instanceof Uint8Array ||
    body instanceof Readable ||
    (mediaType !== undefined && typeof body === 'string')
  reply.send(isRaw ? body : JSON.stringify(body))
}

/** Returns the headers of every answer to a request. */
export function headersOf(request: FastifyRequest): Record<string, string> {
  const secure = request.protocol === 'https' && { 'strict-transport-security': STRICT_TRANSPORT }
  return { ...ANSWER_HEADERS, 'x-request-id': request.id, ...secure }
}

/**
 * Compresses a long JSON answer if the caller accepts gzip. Shorter answers fit into the first packets of a connection.
 */
export async function compressedAnswer(
  answer: Answer,
  { 'accept-encoding': accepted = '' }: Readonly<Record<string, string | string[] | undefined>>,
): Promise<Answer> {
  if (answer.body === undefined) return answer
  const headers = { ...answer.headers, vary: 'accept-encoding' }
  const text = JSON.stringify(answer.body)
  if (text.length < SHORTEST || !acceptedEncodings(String(accepted)).has('gzip')) return { ...answer, headers }
  // Compresses in a separate thread, because 100 kB of log entries take 0.4 ms.
  const body = await promisify(gzip)(text)
  return { ...answer, body, headers: { ...headers, 'content-encoding': 'gzip' } }
}

const SHORTEST = 4096

const MUCH_UNREAD_BYTES = 65_536

/** Starts a streamed answer. From then on, the stream writes the body. */
export function sendStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  stream: AnswerStream,
  mediaType = 'text/plain',
): void {
  reply.hijack()
  const { raw } = reply
  // The connection is not reused after a stream, so that a relay that stops need not wait for the connection.
  raw.writeHead(200, { ...headers, 'content-type': `${mediaType}; charset=utf-8`, connection: 'close' })
  if (reply.request.method === 'HEAD') {
    stream.end()
    raw.end()
    return
  }
  raw.flushHeaders()
  stream.begin({
    write: (text) => raw.write(text),
    get unreadBytes() {
      return raw.writableLength
    },
    // Destroys the connection of a client that does not read, because such a client would not read the end of the
    // stream either.
    end: () => (raw.writableLength < MUCH_UNREAD_BYTES ? raw.end() : raw.destroy()),
    onClose: (closed) => raw.once('close', closed),
  })
  if (raw.destroyed) stream.end()
}
