import { sentAttachmentParams } from '@smsgw/contract/messages/mms'
import { z } from 'zod'
import { sendAttachment } from '../attachments/send-attachment.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'

/** Sends an attachment of an MMS that was accepted for sending. */
export function getSentAttachment({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: sentAttachmentParams,
    answers: { 200: z.unknown().meta({ description: 'The attachment, with its own media type' }) },
    answerHeaders: { 'Content-Disposition': 'File name of the attachment' },
    mediaType: 'application/octet-stream',
    async handle({ principal: { accountId }, params: { id, partId }, access }) {
      const attachment = await database.messageAttachment.findFirst({
        where: { position: Number(partId), message: { accountId, id } },
        select: { messageKey: true, position: true, name: true, size: true, contentType: true },
      })
      if (attachment === null)
        throw new ApiError(404, 'No message has this attachment: it may have been deleted by retention or hashed')
      return sendAttachment(database, access, { ...attachment, name: attachment.name ?? '', octets: attachment })
    },
  })
}
