import { approvalStates, onUncertain, sentByKind } from '@smsgw/contract/messages/message'
import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'

const state = z.enum(messageStates)
const text = z.string().nullable()
const time = z.date().nullable()
const number = z.int().nullable()

const storedRecipient = z.object({
  cmdId: z.string(),
  phoneNumber: z.string(),
  state,
  error: text,
  errorCode: text,
  isDispatched: z.boolean(),
  /** Null until a part was sent or a SIM was chosen. */
  usedSimNumber: number,
  possibleDuplicate: z.boolean(),
})

export const storedMessage = z.object({
  key: z.bigint(),
  id: z.string(),
  deviceId: z.string(),
  state,
  createdAt: z.date(),
  cancellingAt: time,
  cancelledAt: time,
  processedAt: time,
  sentAt: time,
  deliveredAt: time,
  failedAt: time,
  text,
  data: z.instanceof(Uint8Array).nullable(),
  port: number,
  /** Null for a text and for data. */
  mms: z.object({ subject: z.string().optional() }).nullable(),
  /** Null if the message is not an MMS or has no attachments. */
  attachments: z
    .array(z.object({ partId: z.int(), name: text, contentType: z.string(), size: z.int() }))
    .readonly()
    .nullable(),
  contentHash: text,
  isEncrypted: z.boolean(),
  /** The requested SIM. */
  simNumber: number,
  priority: number,
  validUntil: time,
  scheduleAt: time,
  onUncertain: onUncertain.nullable(),
  sentBy: sentByKind.nullable(),
  sentByKeyId: text,
  /** Null when the key was deleted. */
  sentByKeyName: text,
  approval: z.enum(approvalStates).nullable(),
  approvalUntil: time,
  approvalAt: time,
  approvalBy: text,
  /** The recipients in the order of the request. */
  recipients: z.array(storedRecipient).readonly(),
})

export type StoredMessage = Readonly<z.output<typeof storedMessage>>

/** Selects the attachments of `messages m`, without their octets. */
export const attachmentsColumn = Prisma.sql`
  CASE WHEN m.mms IS NOT NULL THEN (
    SELECT json_agg(json_build_object('partId', a.position, 'name', a.name, 'contentType', a.content_type, 'size', a.size)
        ORDER BY a.position)
    FROM message_attachments a WHERE a.message_key = m.key) END AS attachments`

/** The columns of `messages m`, with the recipients as one JSON value, so that a single statement reads a page. */
export const storedMessageColumns = Prisma.sql`
  m.key, m.id, m.device_id AS "deviceId", m.state, m.created_at AS "createdAt", m.cancelling_at AS "cancellingAt",
  m.cancelled_at AS "cancelledAt", m.processed_at AS "processedAt", m.sent_at AS "sentAt",
  m.delivered_at AS "deliveredAt", m.failed_at AS "failedAt", m.text, m.data, m.port, m.mms,
  ${attachmentsColumn},
  m.content_hash AS "contentHash", m.is_encrypted AS "isEncrypted", m.sim_number AS "simNumber", m.priority,
  m.valid_until AS "validUntil", m.schedule_at AS "scheduleAt",
  m.on_uncertain AS "onUncertain", m.approval,
  m.approval_until AS "approvalUntil", m.approval_at AS "approvalAt", m.approval_by AS "approvalBy", m.sent_by AS "sentBy", m.sent_by_key_id AS "sentByKeyId",
  (SELECT k.name FROM api_keys k WHERE k.id = m.sent_by_key_id) AS "sentByKeyName",
  (SELECT json_agg(json_build_object('cmdId', r.cmd_id, 'phoneNumber', r.phone_number, 'state', r.state,
      'error', r.error, 'errorCode', r.error_code, 'isDispatched', r.dispatched_journal IS NOT NULL,
      'usedSimNumber', r.used_sim_number, 'possibleDuplicate', r.possible_duplicate) ORDER BY r.position)
    FROM recipients r WHERE r.message_key = m.key) AS recipients`
