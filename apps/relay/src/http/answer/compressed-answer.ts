import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from '../endpoint.ts'
import { acceptedEncodings } from './static-file.ts'

/** Compresses a long JSON answer if the caller accepts gzip. Shorter answers fit into the first packets of a connection. */
export async function compressedAnswer(
  answer: Answer,
  { 'accept-encoding': accepted = '' }: Readonly<Record<string, string | string[] | undefined>>,
): Promise<Answer> {
  if (answer.body === undefined) return answer
  const headers = { ...answer.headers, vary: 'accept-encoding' }
  const text = JSON.stringify(answer.body)
  if (text.length < SHORTEST || !acceptedEncodings(String(accepted)).has('gzip')) return { ...answer, headers }
  // Compresses in a separate thread, because 100 kB of log entries take 0.4 ms.
  const body = await promisify(gzip)(text)
  return { ...answer, body, headers: { ...headers, 'content-encoding': 'gzip' } }
}

const SHORTEST = 4096
