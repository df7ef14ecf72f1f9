import { partsNeeded } from '@smsgw/sms/segmentation/segment'
import { z } from 'zod'
import type { MessageRecord } from './read-records-statement.ts'
import { accountSid, messageSid } from './sid.ts'
import { API_VERSION, rfc2822, twilioErrorCode } from './twilio-values.ts'

const text = z.string().nullable()

export const messageResource = z.strictObject({
  account_sid: z.string(),
  api_version: z.literal(API_VERSION),
  body: z.string(),
  date_created: z.string(),
  date_sent: text,
  date_updated: z.string(),
  direction: z.enum(['inbound', 'outbound-api', 'outbound-reply']),
  error_code: z.int().nullable(),
  error_message: text,
  from: text,
  messaging_service_sid: text,
  num_media: z.string(),
  num_segments: z.string(),
  price: z.null(),
  price_unit: z.null(),
  sid: z.string(),
  status: z.string(),
  subresource_uris: z.strictObject({ media: z.string() }),
  to: text,
  uri: z.string(),
})

type MessageResource = z.output<typeof messageResource>

/** The representation of a message in Twilio's interface. */
export function resourceOf(record: MessageRecord, accountId: string, now: Date): MessageResource {
  const account = accountSid(accountId)
  const sid = messageSid(record.id)
  const uri = `/${API_VERSION}/Accounts/${account}/Messages/${sid}`
  const status = statusOf(record, now)
  const hasFailed = status === 'failed' || status === 'undelivered'
  return {
    account_sid: account,
    api_version: API_VERSION,
    body: record.text ?? '',
    date_created: rfc2822(record.createdAt),
    date_sent: record.sentAt && rfc2822(record.sentAt),
    date_updated: rfc2822(record.updatedAt),
    direction: directionOf(record),
    error_code: hasFailed ? twilioErrorCode(record.errorCode) : null,
    error_message: hasFailed ? record.error : null,
    from: record.from,
    messaging_service_sid: null,
    num_media: String(record.mediaCount),
    num_segments: String(record.partsCount ?? partsNeeded(record.text ?? '')),
    price: null,
    price_unit: null,
    sid,
    status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: record.to,
    uri: `${uri}.json`,
  }
}

function directionOf({ source, sentBy }: MessageRecord): MessageResource['direction'] {
  if (source === 1) return 'inbound'
  return sentBy === 'webhook' ? 'outbound-reply' : 'outbound-api'
}

function statusOf({ source, state, isDispatched, scheduleAt, sentAt }: MessageRecord, now: Date): string {
  if (source === 1) return 'received'
  switch (state) {
    case 'Processed':
      return 'sending'
    case 'Sent':
      return 'sent'
    case 'Delivered':
      return 'delivered'
    case 'Cancelled':
      return 'canceled'
    case 'Failed':
      // The network accepted the message, and reported later that it could not be delivered.
      return sentAt === null ? 'failed' : 'undelivered'
    default:
      return !isDispatched && scheduleAt !== null && scheduleAt > now ? 'scheduled' : 'queued'
  }
}
