// Outbound path, step 3: finds out whether the message was accepted before. Next: store-messages-statement.ts.

import { type Command, urgentPriority } from '@smsgw/contract/link/command'
import type { MessageContent, SendMessageRequest } from '@smsgw/contract/messages/message'
import type { Database, Statements } from '../../store/database.ts'
import { type RawStatements, transactionInOneTrip } from '../../store/raw-statements.ts'
import type { StoredMessage } from '../stored-message.ts'
import { type DuplicateMessage, findDuplicates } from './find-duplicates-statement.ts'
import type { IdempotencyKey } from './idempotency-key.ts'
import type { LimitedSender } from './key-limits.ts'
import { storeAttachments } from './store-attachments-statement.ts'
import { storeMessages } from './store-messages-statement.ts'

export type AcceptOutcome =
  /** The message is on disk. If `isClaimed`, the session of its device need not be woken. */
  | { readonly kind: 'accepted'; readonly isClaimed?: true }
  /** The same request was accepted before under the same idempotency key. */
  | { readonly kind: 'repeated'; readonly message: StoredMessage }
  /** The idempotency key belongs to a different request. */
  | { readonly kind: 'key-taken' }
  | { readonly kind: 'id-taken' }
  | { readonly kind: 'device-gone' }
  /** The message would exceed the daily limit of its API key. */
  | { readonly kind: 'over-daily-limit'; readonly used: number }
  /** The number has reached the limit of replies in an hour. */
  | { readonly kind: 'over-reply-limit' }
  /** The API key was deleted after authentication. */
  | { readonly kind: 'key-gone' }

/**
 * Stores each message, or returns why it was not stored. All messages must have different ids and different idempotency
 * keys. MMS need a transaction, because each of their attachments has its own statement.
 */
export async function acceptMessages(
  statements: Statements,
  messages: readonly NewMessage[],
  waitMs: number,
): Promise<readonly AcceptOutcome[]> {
  const leftOut = await storeMessages(statements, messages, waitMs)
  for (const [position, message] of messages.entries())
    if (message.content.kind === 'mms' && !leftOut.includes(position))
      await storeAttachments(statements, message, message.content.attachments)
  return await outcomesOf(statements, messages, leftOut)
}

/**
 * Stores messages for one device, and claims for this device in the same transaction, in one round trip. Like every
 * claim, it returns the messages whose turn it is, so an older or more urgent message comes before these.
 */
export async function acceptAndClaim(
  database: Database,
  messages: readonly NewMessage[],
  waitMs: number,
  claim: ClaimAlong,
): Promise<readonly AcceptOutcome[]> {
  const committed = transactionInOneTrip(
    database,
    (statements) => [storeMessages(statements, messages, waitMs), claim.start(statements)] as const,
  )
  claim.settle(committed.then(([, commands]) => commands))
  const [leftOut, commands] = await committed
  const outcomes = await outcomesOf(database, messages, leftOut)
  return commands.length === 0 ? outcomes : outcomes.map((one) => (one === accepted ? acceptedAndClaimed : one))
}

async function outcomesOf(
  statements: Statements,
  messages: readonly NewMessage[],
  leftOut: readonly number[],
): Promise<readonly AcceptOutcome[]> {
  if (leftOut.length === 0) return messages.map(() => accepted)
  const others = leftOut.flatMap((position) => messages[position] ?? [])
  const taken = await findDuplicates(statements, others)
  const outcomes = new Map(others.map((message, index) => [message, outcomeOf(message, taken[index])]))
  return messages.map((message) => outcomes.get(message) ?? accepted)
}

const accepted: AcceptOutcome = { kind: 'accepted' }
const acceptedAndClaimed: AcceptOutcome = { kind: 'accepted', isClaimed: true }

function outcomeOf(message: NewMessage, taken: DuplicateMessage | undefined): AcceptOutcome {
  if (taken === undefined) return { kind: 'device-gone' }
  // The same message is already stored only if this statement was run twice, because the connection was lost before the
  // first answer arrived.
  if (taken.recipients[0]?.cmdId === message.recipients[0]?.cmdId) return accepted
  return repeatOutcome(message, taken) ?? { kind: 'id-taken' }
}

/** Returns the outcome of a request whose idempotency key belongs to an existing message, otherwise undefined. */
export function repeatOutcome({ idempotency }: Pick<NewMessage, 'idempotency'>, taken: DuplicateMessage) {
  if (idempotency === undefined || taken.idempotencyKey !== idempotency.key) return undefined
  const isSame = Buffer.compare(taken.idempotencyFingerprint ?? new Uint8Array(), idempotency.fingerprint) === 0
  return isSame ? ({ kind: 'repeated', message: taken } as const) : ({ kind: 'key-taken' } as const)
}

/** A claim for a device in the transaction that stores messages for it. */
export interface ClaimAlong {
  /** Starts the statement of the claim. Called after the statement that stores the messages was started. */
  start(statements: RawStatements): Promise<readonly Command[]>
  /** Sends the commands to the agent after the commit. Must be called for every claim. */
  settle(committed: Promise<readonly Command[]>): void
}

/** A message ready to be stored. */
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
  readonly onUncertain: SendMessageRequest['onUncertain']
  readonly recipients: readonly NewRecipient[]
  readonly idempotency: IdempotencyKey | undefined
  readonly sentBy: LimitedSender
  /** URL that receives the states of the message in Twilio's format. */
  readonly statusCallback?: string | undefined
  /** If set, the message waits until it is approved, and fails at this time. */
  readonly approvalUntil?: Date | undefined
}

/** Returns true if the message may use credit that is reserved for urgent messages. */
export function isUrgent({ priority = 0 }: Pick<NewMessage, 'priority'>): boolean {
  return priority >= urgentPriority
}

export interface NewRecipient {
  readonly cmdId: string
  readonly phoneNumber: string
}
