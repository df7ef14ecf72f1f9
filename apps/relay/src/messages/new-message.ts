import type { MessageContent } from '@smsgw/contract/message'
import type { IdempotencyKey } from './idempotency-key.ts'

/** A message as it is accepted: everything is decided. */
export interface NewMessage {
  readonly accountId: string
  readonly id: string
  readonly deviceId: string
  readonly createdAt: Date
  readonly content: MessageContent
  readonly isEncrypted: boolean
  readonly simNumber: number | undefined
  readonly withDeliveryReport: boolean
  readonly priority: number | undefined
  readonly validUntil: Date | undefined
  readonly scheduleAt: Date | undefined
  readonly recipients: readonly NewRecipient[]
  readonly idempotency: IdempotencyKey | undefined
}

export interface NewRecipient {
  readonly cmdId: string
  readonly phoneNumber: string
}
