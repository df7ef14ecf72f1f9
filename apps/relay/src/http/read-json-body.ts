import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'
import { refuseUnstorable } from './refuse-unstorable.ts'

export const BODY_LIMIT_BYTES = 256 * 1024
/** Of somebody who has not said who it is: thousands of them at once must not fill the memory. */
export const STRANGERS_BODY_LIMIT_BYTES = 4 * 1024

/** The JSON of a request; undefined when its body is empty, whatever the headers say of it. */
export async function readJsonBody(request: IncomingMessage, mostBytes = BODY_LIMIT_BYTES): Promise<unknown> {
  const bytes = await readBytes(request, mostBytes)
  if (bytes.length === 0) return undefined
  const { 'content-type': contentType, 'content-encoding': encoding } = request.headers
  // Nothing but this, so that no two readers of a header can disagree. Parameters change nothing: JSON is UTF-8.
  if (contentType === undefined || !/^application\/json *(?:;|$)/i.test(contentType))
    throw new ApiError(415, 'The body must be JSON: send it with Content-Type: application/json')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'Send the body as it is, without Content-Encoding')
  return parseJson(textOf(bytes))
}

function readBytes(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = () => request.off('data', take).off('end', end).off('error', fail).off('close', fail)
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length <= mostBytes) return void chunks.push(chunk)
      stop()
      request.resume()
      reject(tooLarge(mostBytes))
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

/**
 * What still comes is thrown away, for as long as a request may take: a caller that is cut off while it sends would not
 * read the answer.
 */
function tooLarge(mostBytes: number): ApiError {
  return new ApiError(413, `The body is larger than ${mostBytes / 1024} KiB: send less at once`)
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not valid UTF-8: encode it so')
  const text = bytes.toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The parser quotes what it read, which may be secret: only the place is told.
    const place = /\(line \d+ column \d+\)/.exec(String(error))?.[0]
    throw new ApiError(400, `The body is not valid JSON${place === undefined ? '' : ` ${place}`}`)
  }
  refuseUnstorable(text, value)
  return value
}
