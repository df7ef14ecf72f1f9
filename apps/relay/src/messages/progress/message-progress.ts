import type { MessageState } from '@smsgw/contract/messages/message-states'
import type { LocalTime } from '../../webhooks/outbox/local-time.ts'
import type { EarlierEvent, OutboundEvent } from '../../webhooks/outbox/outbox-event.ts'
import {
  advanceRecipient,
  isFinished,
  messageStateOf,
  type RecipientInput,
  type RecipientMilestone,
  type RecipientProgress,
  timeColumns,
} from './message-state.ts'

/** The progress of a message and all its recipients. */
export interface MessageProgress extends StateTimes {
  readonly key: bigint
  readonly id: string
  readonly accountId: string
  readonly deviceId: string
  /** The SIM that the request names; null if the device chooses. */
  readonly simNumber: number | null
  readonly state: MessageState
  readonly createdAt: Date
  readonly finishedAt: Date | null
  /** True if the numbers were replaced with hashes. */
  readonly isHashed: boolean
  readonly statusCallback: string | null
  readonly recipients: readonly TrackedRecipient[]
}

type StateTimes = { readonly [Column in (typeof timeColumns)[number][1]]: Date | null }

export interface TrackedRecipient extends RecipientProgress {
  readonly cmdId: string
  readonly phoneNumber: string
  readonly usedSimNumber: number | null
  readonly senderNumber: string | null
  readonly partsCount: number | null
  readonly possibleDuplicate: boolean
}

/** A state change of a recipient. */
export interface Move {
  readonly from: MessageState
  readonly to: MessageState
}

/** An input for one recipient, with the facts that were reported together with it. */
export interface RecipientUpdate {
  readonly accountId: string
  /**
   * The device that reported the update; no other device may report it. Left out if the relay itself made the decision.
   */
  readonly deviceId?: string
  readonly cmdId: string
  /** Left out if only the facts of the other members are reported. */
  readonly input?: RecipientInput
  /** The UTC offset of the device's clock, for local times in payloads. */
  readonly offsetMinutes?: number
  readonly simNumber?: number | undefined
  readonly sender?: string | undefined
  readonly parts?: number | undefined
  readonly possibleDuplicate?: boolean | undefined
}

export interface ProgressedMessage {
  readonly message: MessageProgress
  readonly changed: boolean
  readonly changedRecipients: readonly TrackedRecipient[]
  readonly outboxEvents: readonly OutboundEvent[]
  readonly moves: readonly Move[]
}

/** Applies updates to the recipients of one message, in order. */
export function progressMessage(
  before: MessageProgress,
  updates: readonly RecipientUpdate[],
  now: Date,
): ProgressedMessage {
  let message = before
  const outboxEvents: OutboundEvent[] = []
  const moves: Move[] = []
  for (const one of updates) {
    const known = message.recipients.find(({ cmdId }) => cmdId === one.cmdId)
    if (known === undefined) continue
    const at = latest(one.input?.at ?? now, [message.createdAt, ...timesBefore(known)])
    const { recipient, reached } = step(withFacts(known, one), one.input && { ...one.input, at })
    if (recipient === known) continue
    if (recipient.state !== known.state) moves.push({ from: known.state, to: recipient.state })
    message = withRecipient(message, recipient, at, now)
    const localAt = { at, offsetMinutes: one.offsetMinutes ?? 0 }
    outboxEvents.push(
      ...reached.map((milestone) => outboundEvent(message, recipient, milestone, localAt, earlier(known, milestone))),
    )
  }
  const changedRecipients = message.recipients.filter((recipient) => !before.recipients.includes(recipient))
  const changed = message.state !== before.state || message.finishedAt !== before.finishedAt
  return { message, changed, changedRecipients, outboxEvents, moves }
}

/**
 * Returns the later of two times. The clock of a device may be behind, but no step may get an earlier time than the
 * previous step.
 */
function latest(at: Date, before: readonly (Date | null)[]): Date {
  return before.reduce<Date>((last, time) => (time !== null && time > last ? time : last), at)
}

/**
 * A later step must not have an earlier time than these times. The time of a failure is not one of them, because a
 * report with an earlier time may correct the failure.
 */
function timesBefore({ cancelRequestedAt, processedAt, sentAt }: TrackedRecipient): readonly (Date | null)[] {
  return [cancelRequestedAt, processedAt, sentAt]
}

function step(recipient: TrackedRecipient, input: RecipientInput | undefined) {
  return input === undefined ? { recipient, reached: [] } : advanceRecipient(recipient, input)
}

/** Adds the reported facts. If several SIMs were used, stores the last SIM. */
function withFacts(recipient: TrackedRecipient, update: RecipientUpdate): TrackedRecipient {
  const { simNumber, sender, parts } = update
  const usedSimNumber = simNumber ?? recipient.usedSimNumber
  const isSameSim = usedSimNumber === recipient.usedSimNumber
  const senderNumber = sender ?? (isSameSim ? recipient.senderNumber : null)
  const partsCount = parts ?? recipient.partsCount
  const possibleDuplicate = recipient.possibleDuplicate || update.possibleDuplicate === true
  const isKnown =
    isSameSim &&
    senderNumber === recipient.senderNumber &&
    partsCount === recipient.partsCount &&
    possibleDuplicate === recipient.possibleDuplicate
  return isKnown ? recipient : { ...recipient, usedSimNumber, senderNumber, partsCount, possibleDuplicate }
}

function withRecipient(message: MessageProgress, changed: TrackedRecipient, at: Date, now: Date): MessageProgress {
  const recipients = message.recipients.map((one) => (one.cmdId === changed.cmdId ? changed : one))
  const states = recipients.map(({ state }) => state)
  const state = messageStateOf(states)
  // Uses the clock of the relay, because retention begins at this time and the clock of a device may be wrong.
  const finishedAt = message.finishedAt ?? (states.every(isFinished) ? now : null)
  return { ...message, ...(state !== message.state && firstTime(message, state, at)), state, finishedAt, recipients }
}

function firstTime(message: StateTimes, state: MessageState, at: Date): Partial<StateTimes> {
  const [, column] = timeColumns.find(([one]) => one === state) ?? []
  if (column === undefined || message[column] !== null) return {}
  return { [column]: latest(at, [message.cancellingAt, message.processedAt, message.sentAt]) }
}

/** Returns the event that webhooks received for this recipient before, or undefined if there was none. */
function earlier(
  { state, sentAt, errorCode }: TrackedRecipient,
  reached: RecipientMilestone,
): EarlierEvent | undefined {
  if (reached === 'delivered' || (reached === 'failed' && sentAt !== null)) return { event: 'sms:sent' }
  if (reached === 'sent' && state === 'Failed') return { event: 'sms:failed', code: errorCode ?? 'unknown' }
  return undefined
}

function outboundEvent(
  { id, deviceId, isHashed, statusCallback, simNumber: requestedSimNumber }: MessageProgress,
  recipientProgress: TrackedRecipient,
  milestone: RecipientMilestone,
  at: LocalTime,
  follows: EarlierEvent | undefined,
): OutboundEvent {
  const { cmdId, phoneNumber, senderNumber, usedSimNumber, partsCount, error, errorCode } = recipientProgress
  const { possibleDuplicate } = recipientProgress
  const simNumber = usedSimNumber ?? requestedSimNumber
  // Replaces a hash with an empty string, because this member of the payload must be a phone number. `messageId`
  // identifies the recipient.
  const recipient = isHashed ? '' : phoneNumber
  const facts = {
    ...{ deviceId, cmdId, messageId: id, recipient, sender: senderNumber, simNumber, at, follows },
    possibleDuplicate,
    ...(statusCallback !== null && { statusCallback }),
  }
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
