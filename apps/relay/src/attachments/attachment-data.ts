// Answers with the data of attachments in base64. It is read from the database while the answer is sent, because a page of MMS may
// have hundreds of MiB.
import type { CallerAccess } from '../http/admissions.ts'
import type { Answer } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { octetPieces, streamWhileAllowed } from './send-attachment.ts'

/**
 * Returns a placeholder for the data of an attachment, for the member `data` of an answer. It contains a NUL, which the
 * database cannot store, so no message contains it.
 */
export function dataPlaceholder(messageKey: bigint, position: number): string {
  return `\0${messageKey}/${position}`
}

const PLACEHOLDER = /(?<="data":")\\u0000(\d+)\/(\d+)(?=")/

/**
 * Replaces the placeholders in the body of an answer while it is sent. An answer without placeholders is not changed.
 */
export function withAttachmentData(database: Database, access: Pick<CallerAccess, 'onLost'>, answer: Answer): Answer {
  const parts = JSON.stringify(answer.body).split(PLACEHOLDER)
  if (parts.length === 1) return answer
  return { ...answer, body: streamWhileAllowed(access, pieces(database, parts)) }
}

/** The split results in groups of three parts. The second and third part of a group identify an attachment. */
async function* pieces(database: Database, parts: readonly string[]): AsyncGenerator<Buffer> {
  for (let index = 0; index < parts.length; index += 3) {
    yield Buffer.from(parts[index] ?? '')
    const [messageKey, position] = [parts[index + 1], parts[index + 2]]
    if (messageKey === undefined) return
    const stored = { messageKey: BigInt(messageKey), position: Number(position) }
    for await (const octets of octetPieces(database, stored))
      yield Buffer.from(Buffer.from(octets).toString('base64'), 'latin1')
  }
}
