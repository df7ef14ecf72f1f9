import { joined } from '../http/web-crypto.ts'
import { type VerifyOptions, verifyWebhook, type WebhookEvent, WebhookVerificationError } from './verify-webhook.ts'

export interface ReceiverOptions extends VerifyOptions {
  /**
   * Handles a genuine event. The gateway receives the answer when the promise resolves. The gateway sends the event
   * again if the promise rejects or takes longer than 15 seconds.
   */
  readonly onEvent: (event: WebhookEvent) => void | Promise<void>
  /** Receives errors of `onEvent`, and the reasons why requests were refused. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The longest body, which allows for large batches; a longer body is refused. */
const MOST_BYTES = 10_000_000

/** Returns a handler for servers with the interface of `fetch`: Deno, Bun, workers, Hono and others. */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const body = await readAll(chunksOf(request.body))
    const status = body === undefined ? 413 : await receive({ headers: request.headers, body }, options)
    return new Response(null, { status })
  }
}

/** The part of a request of node:http or Express that the receiver uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed body, if Express has a body parser. */
  readonly body?: unknown
}

export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(): unknown
}

/** Returns a handler for node:http and Express. In Express, register it before `express.json()`. */
export function nodeReceiver(
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    response.statusCode = request.method === 'POST' ? await receiveFromNode(request, options) : 405
    if (response.statusCode === 405) response.setHeader('allow', 'POST')
    // Ends the connection, so that the rest of a body that is too long is not read.
    if (response.statusCode === 413) response.setHeader('connection', 'close')
    response.end()
  }
}

/** The part of Fastify that the plugin uses. */
export interface FastifyServer {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parse: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: Uint8Array) => void) => void,
  ): unknown
  post(path: string, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown
}

interface FastifyRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

interface FastifyReply {
  code(status: number): { send(): unknown }
}

/**
 * Returns a plugin for Fastify: `app.register(fastifyReceiver({ path: '/sms', … }))`. Other routes keep their parsers.
 */
export function fastifyReceiver({
  path,
  ...options
}: ReceiverOptions & { readonly path: string }): (app: FastifyServer) => Promise<void> {
  return async (app) => {
    const parser = { parseAs: 'buffer', bodyLimit: MOST_BYTES } as const
    app.addContentTypeParser('application/json', parser, (_request, body, done) => done(null, body))
    app.post(path, async ({ headers, body }, reply) => {
      const status = body instanceof Uint8Array ? await receive({ headers, body }, options) : 400
      return reply.code(status).send()
    })
  }
}

async function receiveFromNode(request: NodeRequest, options: ReceiverOptions): Promise<number> {
  const { headers, body: parsed } = request
  if (parsed instanceof Uint8Array) return receive({ headers, body: parsed }, options)
  if (parsed !== undefined && parsed !== null) {
    const advice = 'register the receiver before express.json(), or use express.raw() for the path of the receiver'
    options.onError?.(new TypeError(`the body was parsed before it could be verified: ${advice}`))
    return 500
  }
  const body = await readAll(request)
  return body === undefined ? 413 : receive({ headers, body }, options)
}

/** Returns the status of the answer. */
async function receive(request: Parameters<typeof verifyWebhook>[0], options: ReceiverOptions): Promise<number> {
  try {
    await options.onEvent(await verifyWebhook(request, options))
    return 204
  } catch (error) {
    options.onError?.(error)
    if (!(error instanceof WebhookVerificationError)) return 500
    return error.problem === 'not_an_event' ? 400 : 401
  }
}

/** Returns the whole body, or undefined if it is too long. */
async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > MOST_BYTES) return undefined
    parts.push(chunk)
  }
  return joined(...parts)
}

/** Uses a reader, because not every runtime can iterate over a ReadableStream. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    yield value
  }
}
