import { Readable } from 'node:stream'
import { attachmentParams } from '@smsgw/contract/inbox'
import { z } from 'zod'
import { type Access, lostAccess } from '../http/admissions.ts'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { readOctets } from './read-octets-statement.ts'

/** Octets per read, so that a download never holds more of an attachment in memory. */
const PIECE_BYTES = 256 * 1024

/**
 * Sends an attachment of a received message. The octets are read from the database while they are sent. A slow download ends
 * when the caller loses access.
 */
export function getAttachment({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: attachmentParams,
    answers: { 200: z.unknown().meta({ description: 'The attachment, with its own media type' }) },
    answerHeaders: { 'Content-Disposition': 'File name of the attachment' },
    mediaType: 'application/octet-stream',
    async handle({ principal: { accountId }, params: { id, partId }, access }) {
      const attachment = await database.inboxAttachment.findFirst({
        where: { partId: BigInt(partId), item: { accountId, id } },
        select: { inboxKey: true, partId: true, name: true, size: true, contentType: true },
      })
      if (attachment === null)
        throw new ApiError(404, 'No received message has this attachment: it may have been deleted by retention')
      const headers = {
        'content-type': safeMediaType(attachment.contentType),
        'content-length': String(attachment.size),
        'content-disposition': disposition(attachment.name),
        // The content is from a stranger, so a browser must not run it with the rights of the console.
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      }
      const body: Readable = Readable.from(
        whileAllowed(access, pieces(database, attachment), (error) => body.destroy(error)),
      )
      return { status: 200, body, headers }
    },
  })
}

interface Stored {
  readonly inboxKey: bigint
  readonly partId: bigint
  readonly size: number
}

/** Calls `end` when the caller loses access while the pieces are sent, even if the client reads none of them. */
async function* whileAllowed<Piece>(
  access: Pick<Access, 'onLost'>,
  pieces: AsyncIterable<Piece>,
  end: (error: ApiError) => void,
): AsyncGenerator<Piece> {
  const stop = access.onLost((loss) => end(lostAccess(loss)))
  try {
    yield* pieces
  } finally {
    stop()
  }
}

/** Fails if the attachment is deleted meanwhile, which ends the connection before the announced length. */
async function* pieces(database: Database, { inboxKey, partId, size }: Stored): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < size; from += PIECE_BYTES) {
    const octets = await readOctets(database, { inboxKey, partId }, from, PIECE_BYTES)
    if (octets === undefined) throw new Error('attachment deleted during its download')
    yield octets
  }
}

/** Returns the media type if it is one, because a header must not contain anything else. */
function safeMediaType(contentType: string): string {
  return /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/.test(contentType) ? contentType : 'application/octet-stream'
}

/** A file name for every browser (RFC 6266): in ASCII, and in UTF-8 with percent-encoding. */
function disposition(name: string): string {
  const file = name.replace(/^.*[\\/]/s, '').toWellFormed() || 'attachment'
  const ascii = file.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(file).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
