import { z } from 'zod'
import { deviceId, resourceId } from './ids.ts'
import { limitUpTo, paging, refuseReversedRange, timeRange } from './paging.ts'
import { requestBody } from './request-body.ts'
import { requestQuery } from './request-query.ts'
import { instant, utcTime } from './times.ts'

export const inboxType = z.enum(['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'])

export const inboxItem = z
  .strictObject({
    id: resourceId.meta({ description: '`messageId` of its webhook events' }),
    type: inboxType,
    sender: z.string(),
    recipient: z.string().optional().meta({ description: 'Number of the SIM that received it, when known' }),
    simNumber: z.int().min(1).max(64).optional(),
    contentPreview: z
      .string()
      .meta({ description: 'The text; of data the first 64 octets in hex; of an MMS the subject' }),
    createdAt: utcTime.meta({ description: "The network's time stamp when plausible, else the agent's time" }),
    deviceId,
    text: z.string().optional(),
    data: z.base64().optional(),
    port: z.int().min(0).max(65_535).optional(),
    transactionId: z.string().optional(),
    subject: z.string().optional(),
    size: z.int().min(0).optional().meta({ description: 'Octets of the MMS to download' }),
    contentClass: z.string().optional(),
    contentLocation: z.string().optional(),
    expiresAt: utcTime.optional(),
  })
  .meta({ id: 'InboxItem' })

export const listInboxQuery = requestQuery({
  type: inboxType.optional(),
  ...timeRange,
  deviceId: z.string().max(128).optional(),
  sender: z.string().max(128).optional(),
  ...paging,
  limit: limitUpTo(500),
}).check(refuseReversedRange)

const webhookDelivery = z.enum(['Disabled', 'Individual', 'Batch'])

export const refreshInboxRequest = requestBody({
  deviceId: z.string().min(1).max(128).optional().meta({ description: 'All devices when left out' }),
  since: instant,
  until: instant.meta({ description: 'Not before `since`' }),
  messageTypes: z.array(inboxType).max(64).optional().meta({ description: 'All when left out' }),
  webhookDelivery: webhookDelivery
    .optional()
    .meta({ description: 'How stored messages of the range are told again; `Disabled` when left out' }),
  triggerWebhooks: z
    .boolean()
    .optional()
    .meta({ description: '`true` is `Individual`; use `webhookDelivery`, which wins', deprecated: true }),
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

export type InboxType = z.output<typeof inboxType>
export type InboxItem = z.output<typeof inboxItem>
export type RefreshInboxRequest = z.output<typeof refreshInboxRequest>
