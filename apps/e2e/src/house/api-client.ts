import { patienceMs } from './patience.ts'

/** A client of the HTTP API. */
export class ApiClient {
  readonly #base: string
  readonly #authorization: string

  constructor(url: string, user: { readonly username: string; readonly password: string }) {
    this.#base = `${url}/3rdparty/v1`
    this.#authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    limitMs?: number,
  ): Promise<ApiAnswer> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      ...(limitMs !== undefined && { signal: AbortSignal.timeout(limitMs) }),
      headers: {
        authorization: this.#authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) }
  }

  async send(message: object, path = '/messages'): Promise<string> {
    const { status, json } = await this.ask('POST', path, message)
    if (status !== 202) throw new Error(`POST ${path}: ${status} ${JSON.stringify(json)}`)
    return (json as { id: string }).id
  }

  async message(id: string): Promise<MessageAnswer> {
    const { status, json } = await this.ask('GET', `/messages/${encodeURIComponent(id)}`)
    if (status !== 200) throw new Error(`GET /messages/${id}: ${status} ${JSON.stringify(json)}`)
    return json as MessageAnswer
  }

  /** Waits until the message meets the condition. */
  async until(
    id: string,
    isAsWanted: (message: MessageAnswer) => boolean,
    limitMs = patienceMs,
  ): Promise<MessageAnswer> {
    return eventually(() => this.message(id), isAsWanted, limitMs)
  }
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the response of any endpoint, checked by the calling test.
  readonly json: any
}

export interface MessageAnswer {
  readonly id: string
  readonly deviceId: string
  readonly state: string
  readonly recipients: readonly {
    readonly phoneNumber: string
    readonly state: string
    readonly error?: string
    readonly errorCode?: string
  }[]
  readonly states: Readonly<Record<string, string>>
}

/** Repeats a request with growing pauses, until its answer meets the condition. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  isSo: (found: T) => boolean,
  limitMs = patienceMs,
): Promise<T> {
  const start = performance.now()
  for (;;) {
    const found = await ask()
    if (isSo(found)) return found
    const passed = performance.now() - start
    if (passed > limitMs)
      throw new Error(`the condition did not hold within ${limitMs} ms: ${JSON.stringify(found)?.slice(0, 1000)}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, 25 + passed / 20)))
  }
}
