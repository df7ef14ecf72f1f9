import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** A request of a Go program. */
export interface GoRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string
  /** A value for `json.Marshal`, or undefined for a request without a body. */
  readonly payload?: object | undefined
  readonly timeoutMs?: number | undefined
}

export interface GoAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

// A Go program keeps its connections open, like `http.DefaultClient`.
const connections = new Agent({ keepAlive: true })

/**
 * Sends a request with the header lines and the body that Go's `net/http` and `encoding/json` write. Without a body, it
 * sends no Content-Type.
 */
export function goRequest({ method, url, authorization, payload, timeoutMs }: GoRequest): Promise<GoAnswer> {
  const body = payload === undefined ? undefined : Buffer.from(goJson(payload))
  const headers: OutgoingHttpHeaders = {
    'User-Agent': 'Go-http-client/1.1',
    ...((body !== undefined || method === 'POST') && { 'Content-Length': body?.length ?? 0 }),
    Authorization: authorization,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'Accept-Encoding': 'gzip',
  }
  const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: connections, ...(signal && { signal }) }, (incoming) => {
      const parts: Buffer[] = []
      incoming.on('error', reject)
      incoming.on('data', (part) => parts.push(part))
      incoming.on('end', () => {
        const octets = Buffer.concat(parts)
        const text = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(octets) : octets
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text.toString() })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Go's `json.Marshal` escapes these characters, so that a browser never reads them as HTML or as the end of a line. */
function goJson(value: object): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped)
}

/** A zone that differs from UTC by a half hour, so that a lost offset is visible. */
const OFFSET_MINUTES = 330
const OFFSET = '+05:30'

/** Returns a time in a JSON body as Go writes it: in local time and with up to nine decimals. */
export function goTime(atMs: number): string {
  return `${localTime(atMs).slice(0, -1)}456789${OFFSET}`
}

/** Returns a time in a query as the programs write it (`time.RFC3339`): without decimals. */
export function goSeconds(atMs: number): string {
  return `${localTime(atMs).slice(0, 19)}${OFFSET}`
}

const localTime = (atMs: number) => new Date(atMs + OFFSET_MINUTES * 60_000).toISOString()
