import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'
import { refuseUnstorable } from './refuse-unstorable.ts'

export const BODY_LIMIT_BYTES = 256 * 1024
/** Limit for unauthenticated callers, so that thousands of concurrent requests do not fill the memory. */
export const PUBLIC_BODY_LIMIT_BYTES = 4 * 1024

/** Reads the JSON body of a request. Returns undefined for an empty body, whatever the headers of the request. */
export async function readJsonBody(
  request: IncomingMessage,
  mostBytes = BODY_LIMIT_BYTES,
  large?: LargeBody,
): Promise<unknown> {
  const body = await readBody(request, { mostBytes, formats: ['json'], large })
  return body?.format === 'json' ? body.value : undefined
}

/** Rules for bodies above `BODY_LIMIT_BYTES`. */
interface LargeBody {
  /** Waits until there is memory for a body of this size, or rejects. */
  readonly enter: (bytes: number) => Promise<void>
  /** The member that such a body must have. */
  readonly member?: string | undefined
}

export type BodyFormat = 'json' | 'form'

export type Body =
  | { readonly format: 'json'; readonly value: unknown }
  /** A form with its percent-encoding. */
  | { readonly format: 'form'; readonly text: string }

/** Reads the body of a request. Returns undefined for an empty body, whatever the headers of the request. */
export async function readBody(
  request: IncomingMessage,
  {
    mostBytes,
    formats,
    large,
  }: { readonly mostBytes: number; readonly formats: readonly BodyFormat[]; readonly large?: LargeBody | undefined },
): Promise<Body | undefined> {
  const bytes = await readBytes(request, mostBytes, large)
  if (bytes.length === 0) return undefined
  const { 'content-type': contentType, 'content-encoding': encoding } = request.headers
  const format = formats.find((format) => MEDIA_TYPES[format].pattern.test(contentType ?? ''))
  if (format === undefined) {
    const names = formats.map((format) => MEDIA_TYPES[format].name).join(' or ')
    const kind = formats.map((format) => MEDIA_TYPES[format].kind).join(' or ')
    throw new ApiError(415, `The body must be ${kind}: send it with Content-Type: ${names}`)
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'Content-Encoding is not supported: send the body uncompressed')
  if (large === undefined || bytes.length <= BODY_LIMIT_BYTES) {
    const text = textOf(bytes)
    return format === 'json' ? { format, value: parseJson(text) } : { format, text }
  }
  refuseManyValues(bytes)
  const value = parseJson(textOf(bytes))
  const isAllowed = large.member === undefined || (value as Record<string, unknown> | null)?.[large.member]
  if (isAllowed) return { format: 'json', value }
  throw tooLarge(BODY_LIMIT_BYTES)
}

// Only these media types are accepted, so that no proxy reads the header differently. The text is UTF-8, so parameters are ignored.
const MEDIA_TYPES = {
  json: { name: 'application/json', kind: 'JSON', pattern: /^application\/json *(?:;|$)/i },
  form: {
    name: 'application/x-www-form-urlencoded',
    kind: 'a form',
    pattern: /^application\/x-www-form-urlencoded *(?:;|$)/i,
  },
} as const

/** An upload of 500 messages with three attachments each has 40 000. */
const MOST_VALUES = 200_000

/** Each value costs up to 60 bytes of memory, and a hostile body could consist of empty ones. Attachments contain no such characters. */
function refuseManyValues(bytes: Buffer): void {
  let count = 0
  for (const byte of bytes) if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1
  if (count > MOST_VALUES) throw new ApiError(413, `The body has more than ${MOST_VALUES} values: send a smaller one`)
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]

function readBytes(request: IncomingMessage, mostBytes: number, large: LargeBody | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = () => request.off('data', take).off('end', end).off('error', fail).off('close', fail)
    const take = (chunk: Buffer) => {
      const before = length
      length += chunk.length
      if (length > mostBytes) return refuse(tooLarge(mostBytes))
      chunks.push(chunk)
      if (large === undefined || before > BODY_LIMIT_BYTES || length <= BODY_LIMIT_BYTES) return
      request.pause()
      const announced = Number(request.headers['content-length'] ?? mostBytes)
      large.enter(announced).then(() => request.resume(), refuse)
    }
    const refuse = (error: unknown) => {
      stop()
      request.resume()
      reject(error)
    }
    const end = () => {
      stop()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    }
    const fail = () => {
      stop()
      reject(new ApiError(400, 'The body ended before it was complete: send it again'))
    }
    if (Number(request.headers['content-length']) > mostBytes) return reject(tooLarge(mostBytes))
    request.on('data', take).on('end', end).on('error', fail).on('close', fail)
  })
}

/** The rest of the body is read and discarded, because a caller that is cut off while it sends cannot read the answer. */
function tooLarge(mostBytes: number): ApiError {
  return new ApiError(413, `The body is larger than ${mostBytes / 1024} KiB: send a smaller one`)
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not valid UTF-8: encode it as UTF-8')
  const text = bytes.toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the body, which may be secret, so only the position is shown.
    const place = /\(line \d+ column \d+\)/.exec(String(error))?.[0]
    throw new ApiError(400, `The body is not valid JSON${place === undefined ? '' : ` ${place}`}`)
  }
  refuseUnstorable(text, value)
  return value
}
