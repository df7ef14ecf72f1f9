import type { FastifyReply } from 'fastify'
import type { AnswerStream } from './endpoint.ts'

const MUCH_UNREAD_BYTES = 65_536

/** An answer without an end, which from here on is written by the stream itself. */
export function sendStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  stream: AnswerStream,
  mediaType = 'text/plain',
): void {
  reply.hijack()
  const { raw } = reply
  // Nobody waits for its connection to be asked again: a server that ends need not, either.
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
    // Who does not read would not read the end either.
    end: () => (raw.writableLength < MUCH_UNREAD_BYTES ? raw.end() : raw.destroy()),
    onClose: (closed) => raw.once('close', closed),
  })
  if (raw.destroyed) stream.end()
}
