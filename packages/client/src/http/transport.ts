import { ApiError, ConnectionError, errorOf, TimeoutError } from '../errors.ts'
import type { TokenResponse } from '../openapi.ts'
import { Authentication, type Credentials, checkCredentials } from './authentication.ts'
import { pause, type RetryRules, retryDelay } from './retry.ts'

/** The options that every method accepts as its last argument. */
export interface CallOptions {
  /** A signal that ends the call and its retries. The call then fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** The time limit for one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

export interface TransportOptions extends Partial<RetryRules> {
  /** The address of the gateway or the relay, such as `https://sms.example.org`. */
  readonly url: string
  readonly credentials: Credentials
  /** The time limit for one attempt of a request, in milliseconds. Default: 30 000. */
  readonly timeoutMs?: number | undefined
  /** A function that replaces `fetch`, for example to add a proxy. */
  readonly fetch?: typeof fetch | undefined
}

export interface ApiRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/3rdparty/v1`. */
  readonly path: string
  readonly query?: object | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** True if a repetition has no further effect. Default: true, except for POST. */
  readonly isIdempotent?: boolean
}

export interface TransportAnswer<Body> {
  readonly body: Body
  readonly headers: Headers
}

const TIMEOUT_MS = 30_000
const MAX_RETRIES = 4
const MAX_DELAY_MS = 30_000

/** Sends requests with credentials, a time limit and retries. */
export class Transport {
  readonly #base: string
  readonly #fetch: typeof fetch
  readonly #timeoutMs: number
  readonly #rules: RetryRules
  readonly #authentication: Authentication

  constructor({ url, credentials, timeoutMs = TIMEOUT_MS, maxRetries, maxDelayMs, fetch }: TransportOptions) {
    checkCredentials(credentials)
    this.#base = baseOf(url)
    // Reads `fetch` at each call, because tests and instrumentation may replace it.
    this.#fetch = fetch ?? ((...args) => globalThis.fetch(...args))
    this.#timeoutMs = timeoutMs
    this.#rules = { maxRetries: maxRetries ?? MAX_RETRIES, maxDelayMs: maxDelayMs ?? MAX_DELAY_MS }
    this.#authentication = new Authentication(credentials, (token) => this.#refresh(token))
  }

  /** Sends a request, and repeats it if that is safe. Returns the parsed answer. */
  async send<Body>(request: ApiRequest): Promise<TransportAnswer<Body>> {
    const isIdempotent = request.isIdempotent ?? request.method !== 'POST'
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#authorised(request)
        return { body: response.body as Body, headers: response.headers }
      } catch (error) {
        const delay = retryDelay(error, { attempt, isIdempotent, random: Math.random() }, this.#rules)
        if (delay === undefined) throw error
        await pause(delay, request.signal)
      }
    }
  }

  /** Opens a stream of events. The time limit applies only until the first byte of the answer arrives. */
  async open(request: ApiRequest): Promise<Response> {
    return this.#withRenewal((authorization) => this.#exchange(request, authorization, async (response) => response))
  }

  #authorised(request: ApiRequest): Promise<{ body: unknown; headers: Headers }> {
    return this.#withRenewal((authorization) =>
      this.#exchange(request, authorization, async (response) => ({
        body: await bodyOf(response),
        headers: response.headers,
      })),
    )
  }

  async #withRenewal<Answer>(send: (authorization: string) => Promise<Answer>): Promise<Answer> {
    const authorization = await this.#authentication.header()
    try {
      return await send(authorization)
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401
      if (!isRefused || !(await this.#authentication.renew(authorization))) throw error
      return send(await this.#authentication.header())
    }
  }

  /**
   * Does not repeat the request, because a second use of a refresh token revokes all tokens that were issued with it.
   */
  async #refresh(refreshToken: string): Promise<TokenResponse> {
    const request: ApiRequest = { method: 'POST', path: '/auth/token/refresh' }
    return this.#exchange(request, `Bearer ${refreshToken}`, async (response) => {
      return (await bodyOf(response)) as TokenResponse
    })
  }

  async #exchange<Answer>(
    { method, path, query, body, headers, signal, timeoutMs = this.#timeoutMs }: ApiRequest,
    authorization: string,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const url = `${this.#base}${path}${queryText(query)}`
    const limit = new TimeLimit(timeoutMs, signal)
    try {
      const response = await this.#fetch(url, {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: limit.signal,
        // Does not follow redirects, because a redirected request would lose its body or send the credentials to
        // another server.
        redirect: 'manual',
        credentials: 'omit',
      })
      if (response.ok) return await read(response)
      if (response.status >= 300 && response.status < 400) throw redirected(response)
      throw errorOf(response.status, await bodyOf(response).catch(() => undefined), response.headers)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError) throw error
      if (limit.isOver) throw new TimeoutError(`no answer from ${this.#base} within ${timeoutMs} ms`)
      throw new ConnectionError(`cannot reach ${this.#base}: ${reasonOf(error)}`, { cause: error })
    } finally {
      limit.end()
    }
  }
}

/** Combines a time limit with the signal of the caller. Node 18 lacks `AbortSignal.any`. */
class TimeLimit {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #outer: AbortSignal | undefined
  readonly #stop: () => void
  isOver = false

  constructor(ms: number, outer: AbortSignal | undefined) {
    outer?.throwIfAborted()
    this.#outer = outer
    this.#stop = () => this.#controller.abort(outer?.reason)
    outer?.addEventListener('abort', this.#stop, { once: true })
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#controller.abort()
    }, ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#stop)
  }
}

function baseOf(url: string): string {
  const { origin, pathname, username, protocol } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`url "${url}" must begin with http: or https:`)
  if (username !== '') throw new TypeError('url must not contain credentials: pass them in the option "credentials"')
  const path = pathname.replace(/\/+$/, '')
  return `${origin}${path.endsWith('/3rdparty/v1') ? path : `${path}/3rdparty/v1`}`
}

function queryText(query: object = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, value instanceof Date ? value.toISOString() : String(value))
  const text = given.toString()
  return text === '' ? '' : `?${text}`
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The body is not JSON, because a proxy answered or the connection ended early.
    if (!response.ok) return undefined
    throw new ConnectionError('the answer is not JSON', { cause })
  }
}

function redirected(response: Response): ApiError {
  const target = response.headers.get('location')
  const message = `the server redirects to ${target ?? 'another address'}: use that address as url`
  return new ApiError({ status: response.status, message })
}

/** Returns the reason of a failed `fetch`, which Node.js reports in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message
}
