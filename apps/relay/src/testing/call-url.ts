export interface TestCallOptions {
  /** Value of the `Authorization` header, or null for none. */
  readonly auth?: string | null
  /** A string or bytes are sent unchanged, with the content type in `headers`. Any other value is sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, or undefined without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test checks what it expects
  readonly json: any
}

/** Sends one HTTP request and returns the whole answer. */
export async function callUrl(method: string, url: string, { auth, body, headers }: TestCallOptions): Promise<Called> {
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

/** Returns the body. Closes an endless stream and returns an empty text. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return await response.text()
  await response.body?.cancel()
  return ''
}
