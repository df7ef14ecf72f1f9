import { z } from 'zod'
import { deviceId, resourceId } from '../fields/ids.ts'
import { limitUpTo, paging, refuseReversedRange, timeRange } from '../fields/paging.ts'
import { requestBody } from '../fields/request-body.ts'
import { queryBoolean, requestQuery } from '../fields/request-query.ts'
import { instant, utcTime } from '../fields/times.ts'

export const inboxType = z.enum(['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'])

export const inboxAttachment = z
  .strictObject({
    partId: z.int().min(0).meta({ description: 'Number of the part in its message' }),
    name: z.string().meta({ description: 'File name; empty when unknown' }),
    size: z.int().min(0).meta({ description: 'Size in bytes' }),
    contentType: z.string().meta({ examples: ['image/jpeg'] }),
  })
  .meta({ id: 'InboxAttachment' })

export const inboxItem = z
  .strictObject({
    id: resourceId.meta({ description: 'Id of the item; `messageId` in its webhook events' }),
    type: inboxType,
    sender: z.string().meta({
      description: 'Phone number or name of the sender; if the account hides senders, the alias of the sender',
    }),
    recipient: z.string().optional().meta({ description: 'Phone number of the receiving SIM, when known' }),
    simNumber: z.int().min(1).max(64).optional(),
    contentPreview: z.string().meta({
      description: 'The text of an SMS, the first 64 bytes of a data message in hexadecimal, or the subject of an MMS',
    }),
    isEncrypted: z
      .boolean()
      .meta({ description: 'True when the content is encrypted, so that only the owner of the key can read it' }),
    createdAt: utcTime.meta({ description: "The network's time stamp if plausible, otherwise the agent's time" }),
    deviceId,
    text: z.string().optional(),
    data: z.base64().optional(),
    port: z.int().min(0).max(65_535).optional(),
    transactionId: z.string().optional(),
    subject: z.string().optional(),
    size: z.int().min(0).optional().meta({ description: 'Size of the MMS in bytes' }),
    contentClass: z.string().optional(),
    contentLocation: z.string().optional(),
    expiresAt: utcTime.optional(),
    attachments: z
      .array(inboxAttachment)
      .optional()
      .meta({ description: 'Attachments of a downloaded MMS; present when `includeAttachments` is true' }),
  })
  .meta({ id: 'InboxItem' })

const includeAttachments = queryBoolean
  .default(false)
  .meta({ description: 'List the attachments of each message', default: false })

export const getInboxQuery = requestQuery({ includeAttachments })

/** The ids of a message and of one of its attachments. A part number that JSON cannot represent exactly is refused. */
export const attachmentParams = z.object({
  id: z.string().min(1),
  partId: z
    .string()
    .regex(/^\d{1,16}$/)
    .refine((partId) => Number(partId) <= Number.MAX_SAFE_INTEGER),
})

export const listInboxQuery = requestQuery({
  type: inboxType.optional(),
  ...timeRange,
  deviceId: z.string().max(128).optional(),
  // Restores a `+` that the client did not encode, because it arrives as a space.
  sender: z
    .string()
    .max(128)
    .transform((sender) => sender.replace(/^ (?=\d)/, '+'))
    .optional()
    .meta({ description: 'Sender as returned by the API, or the number in any format accepted for sending' }),
  includeAttachments,
  ...paging,
  limit: limitUpTo(500),
}).check(refuseReversedRange)

const webhookDelivery = z.enum(['Disabled', 'Individual', 'Batch'])

export const refreshInboxRequest = requestBody({
  deviceId: z.string().min(1).max(128).optional().meta({ description: 'Default: all devices' }),
  since: instant,
  until: instant.meta({ description: 'Must not be before `since`' }),
  messageTypes: z.array(inboxType).max(64).optional().meta({ description: 'Default: all types' }),
  webhookDelivery: webhookDelivery.optional().meta({
    description:
      'Whether and how the stored messages of this period are sent to the webhooks again. Default: `Disabled`, they are not sent',
  }),
  triggerWebhooks: z.boolean().optional().meta({
    description: '`true` means `Individual`. Use `webhookDelivery` instead, which takes precedence',
    deprecated: true,
  }),
})
  .check(({ value, issues }) => {
    if (value.since > value.until)
      issues.push({ code: 'custom', path: ['until'], message: 'must not be before `since`', input: value.until })
  })
  .transform(({ triggerWebhooks, ...rest }) => ({
    ...rest,
    webhookDelivery: rest.webhookDelivery ?? (triggerWebhooks ? 'Individual' : 'Disabled'),
  }))
  .meta({
    id: 'RefreshInboxRequest',
    examples: [{ since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z', webhookDelivery: 'Individual' }],
  })

export type InboxAttachment = z.output<typeof inboxAttachment>
export type InboxType = z.output<typeof inboxType>
export type InboxItem = z.output<typeof inboxItem>
export type RefreshInboxRequest = z.output<typeof refreshInboxRequest>
