import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

export interface ReceiverReply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly contentType: string | undefined
  /** The excerpt: the beginning of the response body. */
  readonly excerpt: string
  /** True if the excerpt is the whole body. */
  readonly isWhole: boolean
}

export type Exchanged =
  | { readonly reply: ReceiverReply }
  /** `isStale`: the connection was used before, and no byte of a response arrived. */
  | { readonly error: Error; readonly isStale: boolean }

export interface ExchangeLimits {
  /** The time limit for DNS, TCP and TLS together. */
  readonly connectMs: number
  /** The time limit from the start to the response headers. */
  readonly totalMs: number
  /** The time limit for the body. The headers have already decided the result. */
  readonly bodyMs: number
  readonly excerptBytes: number
  /** The number of bytes to read; if the body is longer, the connection is closed. */
  readonly bodyBytes: number
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

/**
 * Sends one request and reads the beginning of its response. Waits for a connection, then for the headers, then for the
 * body. Stops when enough data has arrived, or at the end of the response, an error or a timeout.
 *
 * @param isOpening returns true if a new connection was just opened for the request that is now starting
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  isOpening: () => boolean,
): Promise<Exchanged> {
  const { method, url, headers, body } = request
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const handler = new AnswerReader(limits, isOpening, resolve)
  dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, handler)
  return promise
}

/** The time limit was reached before the connection was open or before the answer arrived. */
export class TimedOut extends Error {
  readonly phase: 'connection' | 'answer'

  constructor(phase: 'connection' | 'answer') {
    super(`no ${phase} in time`)
    this.phase = phase
  }
}

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits
  readonly #isOpening: () => boolean
  readonly #resolve: (exchanged: Exchanged) => void
  readonly #parts: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  readonly #endAtMs: number
  #timer: NodeJS.Timeout
  #wasUsed = false
  #hasBegun = false
  #head: Omit<ReceiverReply, 'excerpt' | 'isWhole'> | undefined
  #size = 0
  #isOver = false

  constructor(limits: ExchangeLimits, isOpening: () => boolean, resolve: (exchanged: Exchanged) => void) {
    this.#limits = limits
    this.#isOpening = isOpening
    this.#resolve = resolve
    this.#endAtMs = performance.now() + limits.totalMs
    this.#timer = setTimeout(() => this.#end(new TimedOut('connection')), Math.min(limits.connectMs, limits.totalMs))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#wasUsed = !this.#isOpening()
    if (this.#isOver) controller.abort(new TimedOut('connection'))
    else this.#endAfter(Math.max(0, this.#endAtMs - performance.now()))
  }

  onResponseStarted(): void {
    this.#hasBegun = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    // Ignores repeated headers.
    const { 'retry-after': retryAfter, 'content-type': contentType } = headers as Record<string, unknown>
    this.#head = { status, retryAfter: onlyText(retryAfter), contentType: onlyText(contentType) }
    this.#endAfter(this.#limits.bodyMs)
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#size < this.#limits.excerptBytes) this.#parts.push(Buffer.from(part))
    this.#size += part.length
    if (this.#size > this.#limits.bodyBytes) this.#end(new Error('response body limit reached'))
  }

  onResponseEnd(): void {
    // Waits two iterations of the event loop, until the connection is free. A request that started sooner would open
    // another connection.
    setImmediate(() => setImmediate(() => this.#end(undefined)))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(new TimedOut('answer')), ms)
  }

  /**
   * Ends the exchange. When the headers have arrived, the request counts as answered, even if the body ends with an
   * error.
   */
  #end(error: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    const head = this.#head
    const isWhole = error === undefined && this.#size <= this.#limits.excerptBytes
    if (head !== undefined) this.#resolve({ reply: { ...head, excerpt: this.#excerpt(), isWhole } })
    else this.#resolve({ error: error ?? new Error('no answer'), isStale: this.#wasUsed && !this.#hasBegun })
    if (error !== undefined) this.#controller?.abort(error)
  }

  #excerpt(): string {
    const text = Buffer.concat(this.#parts).subarray(0, this.#limits.excerptBytes).toString('utf8')
    // Removes NUL characters, because PostgreSQL text cannot contain them.
    return text.replaceAll('\0', '')
  }
}

function onlyText(header: unknown): string | undefined {
  return typeof header === 'string' ? header : undefined
}
