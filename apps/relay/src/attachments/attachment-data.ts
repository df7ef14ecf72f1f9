// Answers that contain the data of attachments in base64. The data is read from the database while the answer is being
// sent, because a page of MMS may have hundreds of MiB.
import type { CallerAccess } from '../http/admissions.ts'
import type { Answer } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { octetPieces, streamWhileAllowed } from './send-attachment.ts'

/**
 * Returns a placeholder for the data of an attachment, for the member `data` of an answer. It contains a NUL, which the
 * database cannot store, so no message contains it.
 */
export function dataPlaceholder(
  { key, isEncrypted }: { readonly key: bigint; readonly isEncrypted: boolean },
  position: number,
): string {
  return `\0${isEncrypted ? 'text' : 'base64'}/${key}/${position}`
}

const PLACEHOLDER = /(?<="data":")\\u0000(text|base64)\/(\d+)\/(\d+)(?=")/

/**
 * Replaces the placeholders in the body of an answer while it is sent. An answer without placeholders is not changed.
 */
export function withAttachmentData(database: Database, access: Pick<CallerAccess, 'onLost'>, answer: Answer): Answer {
  const parts = JSON.stringify(answer.body).split(PLACEHOLDER)
  if (parts.length === 1) return answer
  return { ...answer, body: streamWhileAllowed(access, pieces(database, parts)) }
}

/**
 * The body is split into groups of four parts: a piece of text, the form of the data of an attachment, and the id of
 * this attachment (two parts).
 */
async function* pieces(database: Database, parts: readonly string[]): AsyncGenerator<Buffer> {
  for (let index = 0; index < parts.length; index += 4) {
    const [text = '', form, messageKey, position] = parts.slice(index, index + 4)
    yield Buffer.from(text)
    if (messageKey === undefined) return
    const stored = { messageKey: BigInt(messageKey), position: Number(position) }
    // An encrypted text has only characters that JSON does not escape.
    for await (const octets of octetPieces(database, stored))
      yield form === 'text' ? Buffer.from(octets) : Buffer.from(Buffer.from(octets).toString('base64'), 'latin1')
  }
}
