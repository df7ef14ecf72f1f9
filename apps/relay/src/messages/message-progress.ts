import type { MessageState } from '@smsgw/contract/message-states'
import type { OutboundEvent } from '../webhooks/happened-event.ts'
import type { LocalTime } from '../webhooks/local-time.ts'
import {
  advance,
  isFinished,
  messageStateOf,
  type RecipientInput,
  type RecipientMilestone,
  type RecipientProgress,
} from './message-state.ts'

/** A message with all its recipients, as far as their progress goes. */
export interface MessageProgress extends StateTimes {
  readonly key: bigint
  readonly id: string
  readonly accountId: string
  readonly deviceId: string
  readonly state: MessageState
  readonly finishedAt: Date | null
  /** Of its numbers nothing is known any more but a hash. */
  readonly isHashed: boolean
  readonly recipients: readonly TrackedRecipient[]
}

/** When a message first came to each state; `Pending` is its creation. */
interface StateTimes {
  readonly cancellingAt: Date | null
  readonly cancelledAt: Date | null
  readonly processedAt: Date | null
  readonly sentAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
}

export interface TrackedRecipient extends RecipientProgress {
  readonly cmdId: string
  readonly phoneNumber: string
  readonly usedSimNumber: number | null
  readonly senderNumber: string | null
  readonly partsCount: number | null
}

/** A recipient came from one state to another. */
export interface Move {
  readonly from: MessageState
  readonly to: MessageState
}

/** What happened to one recipient, and what became known with it. */
export interface RecipientNews {
  readonly accountId: string
  /** Only this device may tell it; left out when the relay itself decided. */
  readonly deviceId?: string
  readonly cmdId: string
  /** Left out: nothing but the facts below. */
  readonly input?: RecipientInput
  /** Of the device's clock, for the local time in payloads. */
  readonly offsetMinutes?: number
  readonly simNumber?: number | undefined
  readonly sender?: string | undefined
  readonly parts?: number | undefined
}

export interface ProgressedMessage {
  readonly message: MessageProgress
  readonly changed: boolean
  readonly changedRecipients: readonly TrackedRecipient[]
  readonly happened: readonly OutboundEvent[]
  readonly moves: readonly Move[]
}

/** Takes what happened to recipients of one message, in order. */
export function progressMessage(before: MessageProgress, news: readonly RecipientNews[], now: Date): ProgressedMessage {
  let message = before
  const happened: OutboundEvent[] = []
  const moves: Move[] = []
  for (const one of news) {
    const known = message.recipients.find(({ cmdId }) => cmdId === one.cmdId)
    if (known === undefined) continue
    const { recipient, reached } = step(withFacts(known, one), one.input)
    if (recipient === known) continue
    if (recipient.state !== known.state) moves.push({ from: known.state, to: recipient.state })
    message = withRecipient(message, recipient, one.input?.at ?? now, now)
    const at = { at: one.input?.at ?? now, offsetMinutes: one.offsetMinutes ?? 0 }
    happened.push(...reached.map((milestone) => outboundEvent(message, recipient, milestone, at)))
  }
  const changedRecipients = message.recipients.filter((recipient) => !before.recipients.includes(recipient))
  const changed = message.state !== before.state || message.finishedAt !== before.finishedAt
  return { message, changed, changedRecipients, happened, moves }
}

function step(recipient: TrackedRecipient, input: RecipientInput | undefined) {
  return input === undefined ? { recipient, reached: [] } : advance(recipient, input)
}

/** The last SIM that was used is the one that counts. */
function withFacts(recipient: TrackedRecipient, { simNumber, sender, parts }: RecipientNews): TrackedRecipient {
  const usedSimNumber = simNumber ?? recipient.usedSimNumber
  const senderNumber = sender ?? recipient.senderNumber
  const partsCount = parts ?? recipient.partsCount
  const isKnown =
    usedSimNumber === recipient.usedSimNumber &&
    senderNumber === recipient.senderNumber &&
    partsCount === recipient.partsCount
  return isKnown ? recipient : { ...recipient, usedSimNumber, senderNumber, partsCount }
}

function withRecipient(message: MessageProgress, changed: TrackedRecipient, at: Date, now: Date): MessageProgress {
  const recipients = message.recipients.map((one) => (one.cmdId === changed.cmdId ? changed : one))
  const states = recipients.map(({ state }) => state)
  const state = messageStateOf(states)
  // By the relay's own clock: retention counts from here, and a device may have a strange one.
  const finishedAt = message.finishedAt ?? (states.every(isFinished) ? now : null)
  return { ...message, ...(state !== message.state && firstTime(message, state, at)), state, finishedAt, recipients }
}

function firstTime(message: StateTimes, state: MessageState, at: Date): Partial<StateTimes> {
  const column = columns[state]
  return column === undefined || message[column] !== null ? {} : { [column]: at }
}

const columns: Readonly<Partial<Record<MessageState, keyof StateTimes>>> = {
  Cancelling: 'cancellingAt',
  Cancelled: 'cancelledAt',
  Processed: 'processedAt',
  Sent: 'sentAt',
  Delivered: 'deliveredAt',
  Failed: 'failedAt',
}

function outboundEvent(
  { id, deviceId, isHashed }: MessageProgress,
  { cmdId, phoneNumber, senderNumber, usedSimNumber, partsCount, error, errorCode }: TrackedRecipient,
  milestone: RecipientMilestone,
  at: LocalTime,
): OutboundEvent {
  const simNumber = usedSimNumber
  // Where a number is promised no hash stands: `messageId` tells whom it went to.
  const recipient = isHashed ? '' : phoneNumber
  const facts = { deviceId, cmdId, messageId: id, recipient, sender: senderNumber, simNumber, at }
  switch (milestone) {
    case 'sent':
      return { event: 'sms:sent', ...facts, partsCount: partsCount ?? 1 }
    case 'delivered':
      return { event: 'sms:delivered', ...facts }
    case 'failed':
      return { event: 'sms:failed', ...facts, code: errorCode ?? 'unknown', reason: error ?? 'unknown' }
    case 'cancelled':
      return { event: 'sms:cancelled', ...facts }
  }
}
