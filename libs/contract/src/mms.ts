// MMS to send. Received MMS are in `inbox.ts`.
import { z } from 'zod'
import { DecodedBase64 } from './decoded-base64.ts'
import { requestBody } from './request-body.ts'

const MOST_MMS_ATTACHMENTS = 10
/** The largest size of all attachments of a message together. Networks accept between 300 KiB and 3 MiB. */
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
        data: z.custom<string | DecodedBase64>(isBase64, { error: 'must be base64' }).register(z.globalRegistry, {
          type: 'string',
          minLength: 1,
          description: 'Base64 with padding and without line breaks',
        }),
      }),
    )
    .max(MOST_MMS_ATTACHMENTS)
    .default([])
    .refine((all) => totalOctets(all) <= MOST_MMS_BYTES, {
      message: `must have at most ${MOST_MMS_BYTES / 1_048_576} MiB together: use smaller files`,
    })
    .meta({ description: `At most ${MOST_MMS_ATTACHMENTS}, together at most ${MOST_MMS_BYTES / 1_048_576} MiB` }),
})

function totalOctets(attachments: readonly { readonly data: string | DecodedBase64 }[]): number {
  return attachments.reduce((sum, { data }) => sum + octetsOfBase64(data), 0)
}

/** Returns the number of octets of padded base64. */
export function octetsOfBase64(data: string | DecodedBase64): number {
  if (data instanceof DecodedBase64) return data.size
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return (data.length / 4) * 3 - padding
}

/** Reads the text once without backtracking, because an attachment has millions of characters. */
function isBase64(data: unknown): boolean {
  if (data instanceof DecodedBase64) return true
  if (typeof data !== 'string' || data === '') return false
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding))
}

/** `data` of an attachment is base64, or its octets if the relay decoded it while the request arrived. */
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
    data: z
      .string()
      .optional()
      .meta({ description: 'Data in base64; present only when the request includes the data of attachments' }),
  })
  .meta({ id: 'SentAttachment' })

/** The member `mmsMessage` of answers. */
export const sentMms = z.strictObject({
  subject: z.string().optional(),
  text: z.string().optional(),
  attachments: z.array(sentAttachment),
})

/** Path parameters of an attachment. */
export const sentAttachmentParams = z.object({ id: z.string().min(1), partId: z.string().regex(/^\d{1,4}$/) })
