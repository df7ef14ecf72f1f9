import { Readable } from 'node:stream'
import { attachmentParams } from '@smsgw/contract/inbox/inbox'
import { sentAttachmentParams } from '@smsgw/contract/messages/mms'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type CallerAccess, lostAccess } from '../http/admissions.ts'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'
import { readOctets, type StoredOctets } from './read-octets-statement.ts'

interface StoredAttachment {
  readonly octets: StoredOctets
  readonly name: string
  readonly contentType: string
  readonly size: number
}

/**
 * Answers with an attachment. The octets are read from the database while they are sent. A slow download ends when the
 * caller loses access.
 */
export function sendAttachment(
  database: Database,
  access: Pick<CallerAccess, 'onLost'>,
  { octets, name, contentType, size }: StoredAttachment,
): Answer {
  const headers = {
    'content-type': safeMediaType(contentType),
    'content-length': String(size),
    'content-disposition': disposition(name),
    // A stranger sent the content, so a browser must not run it with the rights of the console.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  }
  return { status: 200, body: streamWhileAllowed(access, octetPieces(database, octets)), headers }
}

/** Sends each piece as soon as it is read. Stops when the caller loses access, even if the client does not read. */
export function streamWhileAllowed<Piece>(
  access: Pick<CallerAccess, 'onLost'>,
  pieces: AsyncIterable<Piece>,
): Readable {
  const body: Readable = Readable.from(whileAllowed(access, pieces, (error) => body.destroy(error)))
  return body
}

async function* whileAllowed<Piece>(
  access: Pick<CallerAccess, 'onLost'>,
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

/**
 * The number of octets per read, which limits the memory for an attachment. It is a multiple of three, so that the
 * base64 of the pieces can be joined.
 */
const PIECE_BYTES = 192 * 1024

/** Fails if the attachment is deleted meanwhile. The connection then ends before the answer is complete. */
export async function* octetPieces(database: Database, stored: StoredOctets): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; from += PIECE_BYTES) {
    const octets = await readOctets(database, stored, from, PIECE_BYTES)
    if (octets === undefined) throw new Error('attachment deleted during its download')
    if (octets.length > 0) yield octets
    if (octets.length < PIECE_BYTES) return
  }
}

/** Returns the media type if it is valid, because a header must not contain anything else. */
function safeMediaType(contentType: string): string {
  return /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/.test(contentType) ? contentType : 'application/octet-stream'
}

/** Returns a file name that every browser can read (RFC 6266): in ASCII, and in UTF-8 with percent-encoding. */
function disposition(name: string): string {
  const file = name.replace(/^.*[\\/]/s, '').toWellFormed() || 'attachment'
  const ascii = file.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(file).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** The answer and headers of an endpoint that sends an attachment. */
const attachmentEndpoint = {
  answers: { 200: z.unknown().meta({ description: 'The attachment, with its own media type' }) },
  answerHeaders: { 'Content-Disposition': 'File name of the attachment' },
  // Each answer has the media type of its attachment.
  mediaType: '*/*',
}

/** Sends an attachment of a received message. */
export function getAttachment({ database }: Pick<CoreDeps, 'database'>): Endpoint {
  return endpoint({
    params: attachmentParams,
    ...attachmentEndpoint,
    async handle({ principal: { accountId }, params: { id, partId }, access }) {
      const attachment = await database.inboxAttachment.findFirst({
        where: { partId: BigInt(partId), item: { accountId, id } },
        select: { inboxKey: true, partId: true, name: true, size: true, contentType: true },
      })
      if (attachment === null)
        throw new ApiError(404, 'No received message has this attachment: retention may have deleted it')
      return sendAttachment(database, access, { ...attachment, octets: attachment })
    },
  })
}

/** Sends an attachment of an MMS that was accepted for sending. */
export function getSentAttachment({ database }: Pick<CoreDeps, 'database'>): Endpoint {
  return endpoint({
    params: sentAttachmentParams,
    ...attachmentEndpoint,
    async handle({ principal: { accountId }, params: { id, partId }, access }) {
      const attachment = await database.messageAttachment.findFirst({
        where: { position: Number(partId), message: { accountId, id } },
        select: { messageKey: true, position: true, name: true, size: true, contentType: true },
      })
      if (attachment === null)
        throw new ApiError(404, 'No message has this attachment: retention may have deleted or hashed the message')
      return sendAttachment(database, access, { ...attachment, name: attachment.name ?? '', octets: attachment })
    },
  })
}
