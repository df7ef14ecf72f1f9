import type { MessageState } from '@smsgw/contract/message-states'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'

/** A message as stored. */
export interface StoredMessage {
  readonly key: bigint
  readonly id: string
  readonly deviceId: string
  readonly state: MessageState
  readonly createdAt: Date
  readonly cancellingAt: Date | null
  readonly cancelledAt: Date | null
  readonly processedAt: Date | null
  readonly sentAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
  readonly text: string | null
  readonly data: Uint8Array | null
  readonly port: number | null
  readonly contentHash: string | null
  readonly isEncrypted: boolean
  /** The requested SIM. */
  readonly simNumber: number | null
  readonly priority: number | null
  readonly validUntil: Date | null
  readonly scheduleAt: Date | null
  /** In the order of the request. */
  readonly recipients: readonly StoredRecipient[]
}

export interface StoredRecipient {
  readonly cmdId: string
  readonly phoneNumber: string
  readonly state: MessageState
  readonly error: string | null
  readonly errorCode: string | null
  readonly isDispatched: boolean
  /** Null until a part was sent or a SIM was chosen. */
  readonly usedSimNumber: number | null
}

/** Columns of `messages m`, with the recipients as one JSON value: one statement per page. */
export const storedMessageColumns = Prisma.sql`
  m.key, m.id, m.device_id AS "deviceId", m.state, m.created_at AS "createdAt", m.cancelling_at AS "cancellingAt",
  m.cancelled_at AS "cancelledAt", m.processed_at AS "processedAt", m.sent_at AS "sentAt",
  m.delivered_at AS "deliveredAt", m.failed_at AS "failedAt", m.text, m.data, m.port,
  m.content_hash AS "contentHash", m.is_encrypted AS "isEncrypted", m.sim_number AS "simNumber", m.priority,
  m.valid_until AS "validUntil", m.schedule_at AS "scheduleAt",
  (SELECT json_agg(json_build_object('cmdId', r.cmd_id, 'phoneNumber', r.phone_number, 'state', r.state,
      'error', r.error, 'errorCode', r.error_code, 'isDispatched', r.dispatched_journal IS NOT NULL,
      'usedSimNumber', r.used_sim_number) ORDER BY r.position)
    FROM recipients r WHERE r.message_key = m.key) AS recipients`

export async function findMessage(
  statements: Statements,
  accountId: string,
  id: string,
): Promise<StoredMessage | undefined> {
  const [message] = await statements.$queryRaw<StoredMessage[]>`
    SELECT ${storedMessageColumns} FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`
  return message
}
