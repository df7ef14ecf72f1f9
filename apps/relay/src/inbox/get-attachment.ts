import { attachmentParams } from '@smsgw/contract/inbox/inbox'
import { z } from 'zod'
import { sendAttachment } from '../attachments/send-attachment.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'

/** Sends an attachment of a received message. */
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
      return sendAttachment(database, access, { ...attachment, octets: attachment })
    },
  })
}
