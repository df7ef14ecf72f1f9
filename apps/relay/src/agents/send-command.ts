import type { SendCommand } from '@smsgw/contract/link/command'
import { Prisma } from '../store/generated/client.ts'

/** A recipient and its message, as a command is made of them. */
export interface SendRow {
  readonly cmdId: string
  readonly messageId: string
  readonly phoneNumber: string
  readonly text: string | null
  readonly data: Uint8Array | null
  readonly port: number | null
  readonly isEncrypted: boolean
  readonly simNumber: number | null
  readonly withDeliveryReport: boolean
  readonly priority: number
  readonly acceptedAt: Date
  readonly dueAt: Date
  readonly validUntil: Date | null
}

/** Of recipients `r` and messages `m`. */
export const sendColumns = Prisma.sql`
  r.cmd_id AS "cmdId", m.id AS "messageId", r.phone_number AS "phoneNumber", m.text, m.data, m.port,
  m.is_encrypted AS "isEncrypted", m.sim_number AS "simNumber", m.with_delivery_report AS "withDeliveryReport",
  r.priority, m.created_at AS "acceptedAt", r.due_at AS "dueAt", r.valid_until AS "validUntil"`

export function sendCommand(row: SendRow): SendCommand {
  const { cmdId, messageId, phoneNumber, isEncrypted, simNumber, withDeliveryReport, priority, validUntil } = row
  return {
    kind: 'send',
    cmdId,
    messageId,
    phoneNumber,
    content: contentOf(row),
    isEncrypted,
    ...(simNumber !== null && { simNumber }),
    withDeliveryReport,
    priority,
    acceptedAt: row.acceptedAt.toISOString(),
    ...(validUntil !== null && { validUntil: validUntil.toISOString() }),
    onUncertain: 'resolve',
  }
}

function contentOf({ text, data, port }: SendRow): SendCommand['content'] {
  if (data === null || port === null) return { text: text ?? '' }
  return { data: Buffer.from(data).toString('base64'), port }
}
