// MMS to send. Received MMS are in `inbox.ts`.
import { z } from 'zod'
import { DecodedBase64 } from '../fields/decoded-base64.ts'
import { requestBody } from '../fields/request-body.ts'
import { CollectedText } from './collected-text.ts'

const MOST_MMS_ATTACHMENTS = 10
/** The largest size of all attachments of a message together. Networks accept between 300 KiB and 3 MiB. */
export const MOST_MMS_BYTES = 3 * 1024 * 1024

/** The longest subject and file name. Encrypted, they may have up to `LONGEST_ENCRYPTED` characters. */
export const LONGEST_SUBJECT = 256
export const LONGEST_NAME = 128
const LONGEST_ENCRYPTED = 4_096

const text = z.string().min(1).max(65_535)
const subject = z.string().min(1).max(LONGEST_ENCRYPTED)
/** Pictures, sounds, videos, texts (contacts and calendars are texts) and PDF files. */
const mmsMediaType = /^(?:(?:image|audio|video|text)\/[\w.+-]{1,64}|application\/pdf)$/i

/** The data of an attachment, which was decoded or collected while its request arrived. */
export type AttachmentOctets = DecodedBase64 | CollectedText

export const mmsToSend = requestBody({
  subject: subject.optional().meta({ description: `At most ${LONGEST_SUBJECT} characters before encryption` }),
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
        name: z
          .string()
          .min(1)
          .max(LONGEST_ENCRYPTED)
          .optional()
          .meta({ description: `File name, at most ${LONGEST_NAME} characters before encryption` }),
        data: z.custom<string | AttachmentOctets>(isData, { error: 'must be base64' }).register(z.globalRegistry, {
          type: 'string',
          minLength: 1,
          description: 'Base64 with padding and without line breaks; encrypted when `isEncrypted` is true',
        }),
      }),
    )
    .max(MOST_MMS_ATTACHMENTS)
    .default([])
    .refine((all) => all.reduce((sum, { data }) => sum + clearOctets(data), 0) <= MOST_MMS_BYTES, {
      message: `must have at most ${MOST_MMS_BYTES / 1_048_576} MiB together: use smaller files`,
    })
    .meta({ description: `At most ${MOST_MMS_ATTACHMENTS}, together at most ${MOST_MMS_BYTES / 1_048_576} MiB` }),
})

/**
 * The number of characters for each octet of an attachment, if it is encrypted. Clients encrypt the base64 of an
 * attachment and encode the result as base64 again.
 */
export const ENCRYPTED_LENGTH = 16 / 9

/** Returns the approximate number of octets that an attachment has without encryption. */
function clearOctets(data: string | AttachmentOctets): number {
  return isEncrypted(data) ? data.length / ENCRYPTED_LENGTH : storedOctets(data)
}

/** Returns the number of stored octets: the decoded octets of padded base64, or the characters of an encrypted text. */
export function storedOctets(data: string | AttachmentOctets): number {
  if (typeof data !== 'string') return data.size
  if (isEncrypted(data)) return data.length
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return (data.length / 4) * 3 - padding
}

/** Returns true for an encrypted text, which begins with `$`, unlike base64. */
export function isEncrypted(data: string | AttachmentOctets): boolean {
  return typeof data === 'string' ? data.startsWith('$') : data instanceof CollectedText
}

/** Checks the text in one pass without backtracking, because an attachment has millions of characters. */
function isData(data: unknown): boolean {
  if (data instanceof DecodedBase64 || data instanceof CollectedText) return true
  if (typeof data !== 'string' || data === '') return false
  // Whether the value must be encrypted depends on the message, so both forms are accepted here.
  if (isEncrypted(data)) return true
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding))
}

/** Returns the members of an MMS that are encrypted in an encrypted message, with their paths. */
export function mmsValues({ subject, text, attachments }: Omit<MmsContent, 'kind'>): readonly MmsValue[] {
  return [
    { path: ['mmsMessage', 'subject'], value: subject },
    { path: ['mmsMessage', 'text'], value: text },
    ...attachments.flatMap(({ name, data }, index) => [
      { path: ['mmsMessage', 'attachments', index, 'name'], value: name },
      { path: ['mmsMessage', 'attachments', index, 'data'], value: data },
    ]),
  ].flatMap(({ path, value }) => (value === undefined ? [] : [{ path, value }]))
}

interface MmsValue {
  readonly path: PropertyKey[]
  readonly value: string | AttachmentOctets
}

/**
 * `data` of an attachment is a text (base64 or encrypted). If the relay decoded or collected this text while the
 * request arrived, `data` is an object with the octets instead.
 */
export interface MmsContent extends Readonly<z.output<typeof mmsToSend>> {
  readonly kind: 'mms'
}

/** An attachment of a sent MMS. */
export const sentAttachment = z
  .strictObject({
    partId: z.int().min(0).meta({ description: 'Number of the attachment in its message, counted from 0' }),
    contentType: z.string().meta({ examples: ['image/jpeg'] }),
    name: z.string().optional().meta({ description: 'File name' }),
    size: z.int().min(0).meta({ description: 'Size in bytes' }),
    data: z.string().optional().meta({
      description:
        'Data in base64, or encrypted data if the message was sent encrypted; absent if `includeAttachmentData` is false',
    }),
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
