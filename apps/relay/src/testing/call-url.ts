export interface CallOptions {
  /** The header `Authorization` as it is sent; null for none. */
  readonly auth?: string | null
  /** A value is sent as JSON; a text or bytes as they are, with the content type of the headers. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  readonly json: any
}

/** One request over HTTP, and the whole answer. */
export async function callUrl(method: string, url: string, { auth, body, headers }: CallOptions): Promise<Called> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(typeof auth === 'string' && { authorization: auth }),
      ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
  })
  const text = await textOf(response)
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** Of what has no end only that it has begun. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return await response.text()
  await response.body?.cancel()
  return ''
}
