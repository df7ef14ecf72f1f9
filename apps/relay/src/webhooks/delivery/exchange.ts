import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

export interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The first of what it said. */
  readonly excerpt: string
}

export type Exchanged =
  | { readonly reply: Reply }
  /** `isStale`: no byte of an answer came, and the connection had been used before. */
  | { readonly error: Error; readonly isStale: boolean }

export interface ExchangeLimits {
  /** Name, connection and TLS together. */
  readonly connectMs: number
  /** From the beginning to the head of the answer. */
  readonly totalMs: number
  /** What comes behind the head, which has decided by then. */
  readonly bodyMs: number
  readonly excerptBytes: number
  /** A longer answer costs the connection. */
  readonly bodyBytes: number
}

/**
 * One request and the beginning of its answer. It waits for a connection, then for the head of the answer, then for as
 * much of its body as is wanted; over with whatever comes first of enough, the end, an error, and the time.
 *
 * @param isOpening whether the connection that a request starts on was opened for it at this moment
 */
export function exchange(
  dispatcher: Dispatcher,
  request: { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  limits: ExchangeLimits,
  isOpening: () => boolean,
): Promise<Exchanged> {
  const { url, headers, body } = request
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const handler = new AnswerReader(limits, isOpening, resolve)
  dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body }, handler)
  return promise
}

/** The time was up, before there was a connection or before there was an answer. */
export class TooLate extends Error {
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
  #head: Omit<Reply, 'excerpt'> | undefined
  #size = 0
  #isOver = false

  constructor(limits: ExchangeLimits, isOpening: () => boolean, resolve: (exchanged: Exchanged) => void) {
    this.#limits = limits
    this.#isOpening = isOpening
    this.#resolve = resolve
    this.#endAtMs = performance.now() + limits.totalMs
    this.#timer = setTimeout(() => this.#end(new TooLate('connection')), Math.min(limits.connectMs, limits.totalMs))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#wasUsed = !this.#isOpening()
    if (this.#isOver) controller.abort(new TooLate('connection'))
    else this.#endAfter(Math.max(0, this.#endAtMs - performance.now()))
  }

  onResponseStarted(): void {
    this.#hasBegun = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    // One that comes twice is none.
    const { 'retry-after': retryAfter } = headers as Record<string, unknown>
    this.#head = { status, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined }
    this.#endAfter(this.#limits.bodyMs)
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#size < this.#limits.excerptBytes) this.#parts.push(Buffer.from(part))
    this.#size += part.length
    if (this.#size > this.#limits.bodyBytes) this.#end(new Error('that is enough'))
  }

  onResponseEnd(): void {
    // Its connection is free two turns of the event loop later; whoever asks before that gets another one.
    setImmediate(() => setImmediate(() => this.#end(undefined)))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(new TooLate('answer')), ms)
  }

  /** With a head there is an answer, however it ended. */
  #end(error: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    const head = this.#head
    if (head !== undefined) this.#resolve({ reply: { ...head, excerpt: this.#excerpt() } })
    else this.#resolve({ error: error ?? new Error('no answer'), isStale: this.#wasUsed && !this.#hasBegun })
    if (error !== undefined) this.#controller?.abort(error)
  }

  #excerpt(): string {
    const text = Buffer.concat(this.#parts).subarray(0, this.#limits.excerptBytes).toString('utf8')
    // The database takes no NUL.
    return text.replaceAll('\0', '')
  }
}
