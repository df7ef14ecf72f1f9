import type { FastifyReply } from 'fastify'
import type { AnswerStream } from '../endpoint.ts'

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
