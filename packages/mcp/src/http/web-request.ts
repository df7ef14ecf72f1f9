import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The largest body, which is larger than any call of a tool. */
const MOST_BYTES = 262_144

/** An error that is sent as the answer to a request. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/**
 * Converts a request of Node.js to the standard `Request` that the SDK expects. The signal aborts when the client has
 * disconnected.
 */
export async function readRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  if (Number(headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  const body = method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks)
  return new Request(new URL(url, 'http://gateway.invalid'), { method, headers: headersOf(headers), body, signal })
}

function headersOf(given: IncomingMessage['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}

/** Sends a response, which may be an endless stream. Waits for a slow client. */
export async function sendResponse(response: Response, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  if (reader !== undefined) {
    const cancel = () => void reader.cancel().catch(() => undefined)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (!outgoing.write(next.value)) await once(outgoing, 'drain', { signal })
      }
    } finally {
      signal.removeEventListener('abort', cancel)
      cancel()
    }
  }
  // Destroys the connection, because an interrupted answer must not look complete to the client.
  if (signal.aborted) outgoing.destroy()
  else outgoing.end()
}

function tooLarge(): RefusedRequest {
  return new RefusedRequest(413, `The request is larger than ${MOST_BYTES} bytes`)
}
