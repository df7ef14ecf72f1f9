import type { RelayFailureCode } from '@smsgw/contract/messages/failure-code'
import type { MessageState } from '@smsgw/contract/messages/message-states'

/**
 * The state of a message for one of its numbers.
 *
 *     Pending ──▶ Processed ──▶ Sent ──▶ Delivered
 *        │ ╲          │          ▲ │
 *        │  ╲         ▼          │ │
 *        │   └──▶ Cancelling ────┘ │
 *        ▼            ▼            ▼
 *     Cancelled ◀─────┘          Failed ◀── any but Delivered and Cancelled
 *
 * States only move forward, so late and repeated inputs change nothing. The failures `submit_unknown` and `device_lost`
 * mean that the outcome is unknown. A message in the state `Failed` changes its state only if a later report corrects
 * such a failure. `Cancelling` does not end when the device refuses to cancel. It ends with the outcome, `Sent` or
 * `Failed`.
 */
export interface RecipientProgress {
  readonly state: MessageState
  /** The reason why the message failed, or why it waits. */
  readonly error: string | null
  readonly errorCode: string | null
  /** Set when the message is dispatched. From then on only the device can cancel it. */
  readonly dispatchedJournal: string | null
  readonly cancelRequestedAt: Date | null
  readonly cancelAnsweredAt: Date | null
  readonly processedAt: Date | null
  readonly sentAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
  readonly cancelledAt: Date | null
}

export type RecipientInput = { readonly at: Date } & (
  | { readonly kind: 'processed' | 'sent' | 'delivered' | 'cancelled' | 'cancel-refused' }
  | { readonly kind: 'waiting'; readonly code: string; readonly reason: string }
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly reason: string
      /** The number of parts that were sent before the failure. */
      readonly partsSent?: number | undefined
      readonly parts?: number | undefined
    }
  /** The API requested a cancel. */
  | { readonly kind: 'cancel-requested' }
  /** A person refused the message, which needed approval. */
  | { readonly kind: 'refused' }
  /** The relay ended the message, because nobody approved it in time. */
  | { readonly kind: 'unapproved' }
  /** The relay ended the message, because it was not dispatched before its deadline. */
  | { readonly kind: 'expired' }
  /** The relay ended the message, because its device has been silent for too long. */
  | { readonly kind: 'device-lost' }
  /** The relay ended the message, because its device has only virtual modems and the account now has a real modem. */
  | { readonly kind: 'emulated' }
)

/** The milestones that webhooks report, each once. */
export type RecipientMilestone = 'sent' | 'delivered' | 'failed' | 'cancelled'

interface RecipientStep<R extends RecipientProgress> {
  /** The new progress. This is the same object as before if nothing changed. */
  readonly recipient: R
  /**
   * The milestones that this change reached, in order. `delivered` always follows `sent`, which is reached by this
   * change or an earlier change.
   */
  readonly reached: readonly RecipientMilestone[]
}

export function advanceRecipient<R extends RecipientProgress>(recipient: R, input: RecipientInput): RecipientStep<R> {
  const { change, reached } = changeBy(recipient, input)
  return { recipient: Object.keys(change).length > 0 ? { ...recipient, ...change } : recipient, reached }
}

/**
 * Derives the state of a message from the states of its recipients. The first matching rule is used, so a single open
 * recipient keeps the message open.
 */
export function messageStateOf(recipients: readonly MessageState[]): MessageState {
  const open = (['Pending', 'Cancelling', 'Cancelled', 'Processed'] as const).find((state) =>
    recipients.includes(state),
  )
  if (open !== undefined) return open
  if (recipients.every((state) => state === 'Failed')) return 'Failed'
  if (recipients.every((state) => state === 'Delivered')) return 'Delivered'
  return 'Sent'
}

/**
 * Returns true if no further step is required. A report may still change Sent to Delivered, or correct an unknown
 * outcome.
 */
export function isFinished(state: MessageState): boolean {
  return state === 'Sent' || state === 'Delivered' || state === 'Failed' || state === 'Cancelled'
}

/**
 * For each state, the column with the time when it was first reached. `Pending` has no column, because it starts with
 * the creation.
 */
export const timeColumns = [
  ['Cancelling', 'cancellingAt'],
  ['Cancelled', 'cancelledAt'],
  ['Processed', 'processedAt'],
  ['Sent', 'sentAt'],
  ['Delivered', 'deliveredAt'],
  ['Failed', 'failedAt'],
] as const satisfies readonly (readonly [MessageState, string])[]

interface Outcome {
  readonly change: Partial<RecipientProgress>
  readonly reached: readonly RecipientMilestone[]
}

const nothing: Outcome = { change: {}, reached: [] }

function changeBy(recipient: RecipientProgress, input: RecipientInput): Outcome {
  const { at } = input
  switch (input.kind) {
    case 'processed':
      return processed(recipient, at)
    case 'waiting':
      return isFinished(recipient.state) ? nothing : waiting(recipient, input.code, input.reason)
    case 'sent':
      return canBeSent(recipient) ? sent(at) : nothing
    case 'delivered':
      return delivered(recipient, at)
    case 'failed':
      return canFail(recipient, input.code) ? failed(at, input.code, wordsOf(input)) : nothing
    case 'cancel-requested':
      return cancelRequested(recipient, at)
    case 'cancelled':
      return cancelled(recipient, at)
    case 'cancel-refused':
      return { ...nothing, change: cancelAnswer(recipient, at) }
    case 'refused':
      return endBeforeDispatch(recipient, at, 'approval_refused', 'rejected by a person')
    case 'unapproved':
      return endBeforeDispatch(recipient, at, 'approval_expired', 'not approved in time')
    case 'expired':
      return endBeforeDispatch(recipient, at, 'ttl_expired', 'TTL expired')
    case 'device-lost':
      return deviceLost(recipient, at)
    case 'emulated':
      return emulated(recipient, at)
  }
}

function processed(recipient: RecipientProgress, at: Date): Outcome {
  if (isFinished(recipient.state) || recipient.processedAt !== null) return nothing
  const state = recipient.state === 'Pending' ? 'Processed' : recipient.state
  return { change: { state, processedAt: at }, reached: [] }
}

function waiting(recipient: RecipientProgress, code: string, reason: string): Outcome {
  const unknown = 'outcome unknown'
  const error = code === 'outcome_unknown' && !reason.startsWith(unknown) ? `${unknown}: ${reason}` : reason
  if (recipient.error === error && recipient.errorCode === code) return nothing
  return { change: { error, errorCode: code }, reached: [] }
}

function sent(at: Date): Outcome {
  return { change: { state: 'Sent', sentAt: at, ...noError }, reached: ['sent'] }
}

function delivered(recipient: RecipientProgress, at: Date): Outcome {
  if (recipient.state !== 'Sent' && !canBeSent(recipient)) return nothing
  const change = { state: 'Delivered' as const, deliveredAt: at, ...noError }
  if (recipient.sentAt !== null) return { change, reached: ['delivered'] }
  return { change: { ...change, sentAt: at }, reached: ['sent', 'delivered'] }
}

function failed(at: Date, code: string, error: string): Outcome {
  return { change: { state: 'Failed', failedAt: at, errorCode: code, error }, reached: ['failed'] }
}

function cancelRequested(recipient: RecipientProgress, at: Date): Outcome {
  if (recipient.state !== 'Pending' && recipient.state !== 'Processed') return nothing
  if (recipient.dispatchedJournal === null) return cancelled(recipient, at)
  return { change: { state: 'Cancelling', cancelRequestedAt: recipient.cancelRequestedAt ?? at }, reached: [] }
}

function cancelled(recipient: RecipientProgress, at: Date): Outcome {
  const answer = cancelAnswer(recipient, at)
  if (isFinished(recipient.state)) return { change: answer, reached: [] }
  return { change: { ...answer, state: 'Cancelled', cancelledAt: at, ...noError }, reached: ['cancelled'] }
}

function cancelAnswer(recipient: RecipientProgress, at: Date): Partial<RecipientProgress> {
  const isOpen = recipient.cancelRequestedAt !== null && recipient.cancelAnsweredAt === null
  return isOpen ? { cancelAnsweredAt: at } : {}
}

/**
 * Ends a message, unless it was dispatched. Dispatched messages expire on the device, because only the device knows
 * which messages it has sent.
 */
function endBeforeDispatch(recipient: RecipientProgress, at: Date, code: RelayFailureCode, reason: string): Outcome {
  if (recipient.state !== 'Pending' || recipient.dispatchedJournal !== null) return nothing
  return failed(at, code, reason)
}

function deviceLost(recipient: RecipientProgress, at: Date): Outcome {
  if (isFinished(recipient.state)) return nothing
  return failedAndWithdrawn(recipient, at, 'device_lost', 'device_lost')
}

/** Does not replace a cancel that the user requested. */
function emulated(recipient: RecipientProgress, at: Date): Outcome {
  if (isFinished(recipient.state) || recipient.state === 'Cancelling') return nothing
  const reason = 'the message waited for a virtual modem, but the account now has a real modem'
  return failedAndWithdrawn(recipient, at, 'emulated_modem', reason)
}

/**
 * Fails the message, and requests a cancel if the message was dispatched. A device that is offline handles the cancel
 * when it reconnects, before it sends anything.
 */
function failedAndWithdrawn(recipient: RecipientProgress, at: Date, code: RelayFailureCode, reason: string): Outcome {
  const outcome = failed(at, code, reason)
  if (recipient.dispatchedJournal === null || recipient.cancelRequestedAt !== null) return outcome
  return { ...outcome, change: { ...outcome.change, cancelRequestedAt: at } }
}

function canBeSent(recipient: RecipientProgress): boolean {
  return !isFinished(recipient.state) || (recipient.state === 'Failed' && isOutcomeUnknown(recipient.errorCode))
}

/** Returns true if the message can fail. An unknown outcome does not replace a known outcome. */
function canFail(recipient: RecipientProgress, code: string): boolean {
  return !isFinished(recipient.state) || (recipient.state === 'Sent' && !isOutcomeUnknown(code))
}

/** Failure codes that mean that the outcome is unknown. */
export const unknownOutcomes: readonly string[] = ['submit_unknown', 'device_lost']

function isOutcomeUnknown(code: string | null): boolean {
  return code !== null && unknownOutcomes.includes(code)
}

function wordsOf({ code, reason, partsSent = 0, parts = 0 }: RecipientInput & { kind: 'failed' }): string {
  const words = contractReasons[code] ?? reason
  return partsSent > 0 && partsSent < parts ? `partial ${partsSent}/${parts}: ${words}` : words
}

const noError = { error: null, errorCode: null }

/** The API defines these texts. The texts of other failures come from the device. */
const contractReasons: Readonly<Record<string, string>> = {
  ttl_expired: 'TTL expired',
  submit_unknown: 'submit_unknown',
  device_lost: 'device_lost',
}
