import type { IncomingMessage } from 'node:http'

/** The largest part of a body that is read to find credentials. The relay refuses a larger body before it reads credentials. */
const LIMIT_BYTES = 16 * 1024
const LIMIT_MS = 10_000

/** Reads the start of a body: the whole body if it is small. The rest can still be read from the request. */
export function readStart(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (error?: Error) => {
      clearTimeout(timer)
      request.pause()
      request.off('data', onData).off('end', onEnd).off('error', end).off('close', onClose)
      if (error === undefined) resolve(Buffer.concat(chunks))
      else reject(error)
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= LIMIT_BYTES) end()
    }
    const onEnd = () => end()
    const onClose = () => end(new Error('the client disconnected'))
    // The relay then waits for the rest of the body, and refuses the request if the rest does not arrive.
    const timer = setTimeout(() => end(), LIMIT_MS)
    request.on('data', onData).once('end', onEnd).once('error', end).once('close', onClose)
  })
}
