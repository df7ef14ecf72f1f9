import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors/api-error.ts'
import { AttachmentDecoder } from './attachment-decoder.ts'
import { refuseUnstorable } from './refuse-unstorable.ts'

export const BODY_LIMIT_BYTES = 256 * 1024
/** Limit for unauthenticated callers, so that thousands of concurrent requests do not fill the memory. */
export const PUBLIC_BODY_LIMIT_BYTES = 4 * 1024

/** Reads the JSON body of a request. Returns undefined if the body is empty, no matter which headers were sent. */
export async function readJsonBody(
  request: IncomingMessage,
  mostBytes = BODY_LIMIT_BYTES,
  large?: LargeBody,
): Promise<unknown> {
  const body = await readBody(request, { mostBytes, formats: ['json'], large })
  return body?.format === 'json' ? body.value : undefined
}

/** The rules for bodies above `BODY_LIMIT_BYTES`. */
interface LargeBody {
  /** Waits until there is memory for a body of this size, or rejects. */
  readonly enter: (bytes: number) => Promise<void>
  /**
   * The name of a member. A body above `BODY_LIMIT_BYTES` is refused if it lacks this member, because no other content
   * needs so many bytes.
   */
  readonly member?: string | undefined
}

export type BodyFormat = 'json' | 'form'

export type Body =
  | { readonly format: 'json'; readonly value: unknown }
  /** A form, still percent-encoded. */
  | { readonly format: 'form'; readonly text: string }

/** Reads the body of a request. Returns undefined if the body is empty, no matter which headers were sent. */
export async function readBody(
  request: IncomingMessage,
  {
    mostBytes,
    formats,
    large,
  }: { readonly mostBytes: number; readonly formats: readonly BodyFormat[]; readonly large?: LargeBody | undefined },
): Promise<Body | undefined> {
  const { bytes, decoder } = await readBytes(request, mostBytes, large)
  if (bytes.length === 0) return undefined
  const content = contentOf(request.headers, { bytes, decoder }, formats)
  const member = decoder && large?.member
  // Without the member, the body is too large, whatever else is wrong with it.
  if (member !== undefined && !hasMember(content, member)) {
    const { message } = tooLarge(BODY_LIMIT_BYTES)
    throw new ApiError(413, 'refusal' in content ? `${message}. ${content.refusal.message}` : message)
  }
  if ('refusal' in content) throw content.refusal
  if (content.format === 'json') {
    refuseUnstorable(content.text, content.value)
    decoder?.restore(content.value)
  }
  return content
}

type Content = (Body & { readonly text: string }) | { readonly refusal: ApiError }

function hasMember(content: Content, member: string): boolean {
  return 'value' in content && Boolean((content.value as Record<string, unknown> | null)?.[member])
}

function contentOf(
  { 'content-type': contentType, 'content-encoding': encoding }: IncomingMessage['headers'],
  { bytes, decoder }: ReadBytes,
  formats: readonly BodyFormat[],
): Content {
  const refused = (status: 400 | 415, message: string) => ({ refusal: new ApiError(status, message) })
  const format = formats.find((format) => MEDIA_TYPES[format].pattern.test(contentType ?? ''))
  if (format === undefined) {
    const names = formats.map((format) => MEDIA_TYPES[format].name).join(' or ')
    const kind = formats.map((format) => MEDIA_TYPES[format].kind).join(' or ')
    return refused(415, `The body must be ${kind}: send it with Content-Type: ${names}`)
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return refused(415, 'Content-Encoding is not supported: send the body uncompressed')
  if (!isUtf8(bytes)) return refused(400, 'The body is not valid UTF-8: encode it as UTF-8')
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  if (format === 'form') return { format, text }
  try {
    return { format, text, value: JSON.parse(text) }
  } catch (error) {
    // Shows only the position, because the message of the parser quotes the body, which may be secret. If data was
    // taken out of the text, the position is wrong.
    const place = decoder?.hasDecoded ? undefined : /\(line \d+ column \d+\)/.exec(String(error))?.[0]
    return refused(400, `The body is not valid JSON${place === undefined ? '' : ` ${place}`}`)
  }
}

// Only these media types are accepted, so that no proxy can interpret the header differently. Parameters are ignored,
// because the text is always UTF-8.
const MEDIA_TYPES = {
  json: { name: 'application/json', kind: 'JSON', pattern: /^application\/json *(?:;|$)/i },
  form: {
    name: 'application/x-www-form-urlencoded',
    kind: 'a form',
    pattern: /^application\/x-www-form-urlencoded *(?:;|$)/i,
  },
} as const

interface ReadBytes {
  readonly bytes: Buffer
  /** Set for a body above `BODY_LIMIT_BYTES`. The decoder has removed the data of attachments from `bytes`. */
  readonly decoder: AttachmentDecoder | undefined
}

function readBytes(request: IncomingMessage, mostBytes: number, large: LargeBody | undefined): Promise<ReadBytes> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let decoder: AttachmentDecoder | undefined
    let refusal: unknown
    let length = 0
    const stop = () => request.off('data', take).off('end', end).off('error', fail).off('close', fail)
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > mostBytes) return refuse(tooLarge(mostBytes))
      if (decoder !== undefined) return decode(decoder, [chunk])
      chunks.push(chunk)
      if (large === undefined || length <= BODY_LIMIT_BYTES) return
      request.pause()
      decoder = new AttachmentDecoder()
      decode(decoder, chunks.splice(0))
      const announced = Number(request.headers['content-length'] ?? mostBytes)
      large.enter(announced).then(() => request.resume(), refuse)
    }
    const decode = (by: AttachmentDecoder, all: readonly Buffer[]) => {
      if (refusal !== undefined) return
      try {
        for (const chunk of all) by.add(chunk)
      } catch (error) {
        // Reports the error at the end of the body, because a caller cannot read the answer while it is sending.
        refusal = error
      }
    }
    const refuse = (error: unknown) => {
      // Discards the rest of the body, because a caller cannot read the answer while it is sending.
      stop()
      request.resume()
      reject(error)
    }
    const end = () => {
      stop()
      if (refusal !== undefined) return reject(refusal)
      const bytes = decoder?.end() ?? (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
      resolve({ bytes, decoder })
    }
    const fail = () => {
      stop()
      reject(new ApiError(400, 'The body ended before it was complete: send it again'))
    }
    if (Number(request.headers['content-length']) > mostBytes) return reject(tooLarge(mostBytes))
    request.on('data', take).on('end', end).on('error', fail).on('close', fail)
  })
}

function tooLarge(mostBytes: number): ApiError {
  return new ApiError(413, `The body is larger than ${sizeText(mostBytes)}: send a smaller one`)
}

/** Rounds down, so that a body of the stated size is accepted. */
function sizeText(bytes: number): string {
  const mib = bytes / 1024 / 1024
  return mib < 1 ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(mib * 100) / 100} MiB`
}
