// MMS to send. Received MMS are in `inbox.ts`.
import { z } from 'zod'
import { requestBody } from './request-body.ts'

const MOST_MMS_ATTACHMENTS = 10
/** All attachments of a message together. Networks accept between 300 KiB and 3 MiB. */
export const MOST_MMS_BYTES = 3 * 1024 * 1024

const text = z.string().min(1).max(65_535)
const subject = z.string().min(1).max(256)
/** Pictures, sounds, videos, texts (contacts and calendars are texts) and PDF files. */
const mmsMediaType = /^(?:(?:image|audio|video|text)\/[\w.+-]{1,64}|application\/pdf)$/i

export const mmsToSend = requestBody({
  subject: subject.optional(),
  text: text.optional(),
  attachments: z
    .array(
      requestBody({
        contentType: z
          .string()
          .regex(
            mmsMediaType,
            'must be image/…, audio/…, video/…, text/… or application/pdf without parameters, for example image/jpeg',
          )
          .meta({ examples: ['image/jpeg'] }),
        name: z.string().min(1).max(128).optional().meta({ description: 'File name' }),
        data: z
          .string()
          .min(1)
          .refine(isBase64, 'must be base64')
          .meta({ description: 'Base64 with padding and without line breaks' }),
      }),
    )
    .max(MOST_MMS_ATTACHMENTS)
    .default([])
    .refine((all) => totalOctets(all) <= MOST_MMS_BYTES, {
      message: `must have at most ${MOST_MMS_BYTES / 1_048_576} MiB together: use smaller files`,
    })
    .meta({ description: `At most ${MOST_MMS_ATTACHMENTS}, together at most ${MOST_MMS_BYTES / 1_048_576} MiB` }),
})

function totalOctets(attachments: readonly { readonly data: string }[]): number {
  return attachments.reduce((sum, { data }) => sum + octetsOfBase64(data), 0)
}

/** Returns the number of octets of padded base64. */
export function octetsOfBase64(data: string): number {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return (data.length / 4) * 3 - padding
}

/** Reads the text once without backtracking, because an attachment has millions of characters. */
function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding))
}

/** `data` of an attachment is base64. */
export interface MmsContent extends Readonly<z.output<typeof mmsToSend>> {
  readonly kind: 'mms'
}

/** An attachment of a sent MMS. */
export const sentAttachment = z
  .strictObject({
    partId: z.int().min(0).meta({ description: 'Number of the attachment in its message, from 0' }),
    contentType: z.string().meta({ examples: ['image/jpeg'] }),
    name: z.string().optional().meta({ description: 'File name' }),
    size: z.int().min(0).meta({ description: 'Size in bytes' }),
    data: z.string().optional().meta({ description: 'Base64; only where data of attachments is requested' }),
  })
  .meta({ id: 'SentAttachment' })

/** `mmsMessage` in answers. */
export const sentMms = z.strictObject({
  subject: z.string().optional(),
  text: z.string().optional(),
  attachments: z.array(sentAttachment),
})

/** Path parameters of an attachment. */
export const sentAttachmentParams = z.object({ id: z.string().min(1), partId: z.string().regex(/^\d{1,4}$/) })
