// The client library of another server with the same API. It must work with this product unchanged.
import client, { type HttpClient } from 'android-sms-gateway'

// The types of the library declare CommonJS, but its code is an ES module, so the compiler finds the class in
// `default`.
const Client = client as unknown as typeof client.default

export type NpmClient = InstanceType<typeof Client>

export function npmClient(
  url: string,
  { username, password }: { readonly username: string; readonly password: string },
): NpmClient {
  return new Client(username, password, httpClient, `${url}/3rdparty/v1`)
}

/** An error response; callers read `code` and `message`. */
class Refusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The HTTP client from the documentation of the library. Like some clients, sends a content type with DELETE, although
 * the request has no body.
 */
const httpClient: HttpClient = {
  get: (url, headers) => ask('GET', url, headers),
  post: (url, body, headers) => ask('POST', url, headers, body),
  put: (url, body, headers) => ask('PUT', url, headers, body),
  patch: (url, body, headers) => ask('PATCH', url, headers, body),
  delete: (url, headers) => ask('DELETE', url, { ...headers, 'Content-Type': 'application/json' }),
}

async function ask<T>(
  method: string,
  url: string,
  headers: Record<string, string> | undefined,
  body?: unknown,
): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // 204 has no body. Every other response is parsed as JSON, with any status.
  const answer: unknown = response.status === 204 ? undefined : await response.json()
  if (response.ok) return answer as T
  const { code, message } = answer as { readonly code: number; readonly message: string }
  throw new Refusal(code, message)
}
