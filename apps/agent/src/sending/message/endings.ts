import type { AgentFailureCode } from '@smsgw/contract/messages/failure-code'
import { reportCode } from '@smsgw/contract/messages/network-cause'
import { mayArriveLater, statusFromOctet } from '@smsgw/sms/fields/status'
import type { Change } from '../../journal/change.ts'
import { phoneNumberOf } from '../schedule/lanes.ts'
import { withoutQueued, withQueued } from '../schedule/queue.ts'
import type { SendingSim } from '../sending-sim.ts'
import { type Step, withEntry, withoutEntry } from '../step.ts'
import { isDelivered, type OutgoingMessage, partsSent } from './message.ts'
import { deliveredEvent, type EventTime, failedEvent, sentEvent } from './message-events.ts'

export interface MessageFailure {
  readonly code: AgentFailureCode
  readonly reason: string
}

/** Ends a message that was not sent. The message is removed from the state when its end is on disk. */
export function fail(step: Step, message: OutgoingMessage, failure: MessageFailure): void {
  const over = step.put({ ...message, outcome: 'failed', phase: 'over' })
  dequeue(step, over)
  step.write(failureChanges(step, over, failure), { onWritten: { kind: 'ended', cmdId: over.cmdId } })
}

export function expire(step: Step, message: OutgoingMessage): void {
  const gaveUp = `not sent in time; last reason: ${message.lastReason ?? 'no SIM was ready'}`
  const hasDeadline = message.command.validUntil !== undefined
  fail(
    step,
    message,
    hasDeadline ? { code: 'ttl_expired', reason: 'TTL expired' } : { code: 'gave_up', reason: gaveUp },
  )
}

/** Ends a message after evidence that all parts were sent. */
export function endSent(step: Step, message: OutgoingMessage, phoneNumber: string | undefined): void {
  const sim = { simNumber: message.simNumber ?? 1, phoneNumber }
  const { outcome, changes } = success(message, sim, step.moment, message.outcome !== undefined)
  step.put({ ...message, outcome })
  step.write(changes, { onWritten: { kind: 'ended', cmdId: message.cmdId } })
}

/** Removes the message from the open messages. Remembers it for later evidence if its outcome is unknown. */
export function end(step: Step, message: OutgoingMessage): void {
  const over: OutgoingMessage = { ...message, phase: 'over' }
  dequeue(step, over)
  step.removeOpen(over.cmdId)
  const { remembered } = step.state
  if (over.givenUpMs === undefined) step.change({ remembered: withoutEntry(remembered, over.cmdId) })
  else step.change({ remembered: rememberedUntil(withEntry(remembered, over.cmdId, over), step.moment.nowMs) })
}

export function enqueue(step: Step, message: OutgoingMessage): void {
  step.put(message)
  dequeue(step, message)
  const { queue, settings } = step.state.schedule
  step.changeSchedule({ queue: withQueued(queue, message, settings.order, step.state.open) })
}

export function dequeue(step: Step, { cmdId }: OutgoingMessage): void {
  step.changeSchedule({ queue: withoutQueued(step.state.schedule.queue, cmdId) })
}

/**
 * Returns the outcome and the changes of a message whose parts were all accepted. Status reports that have already
 * arrived are taken into account.
 */
export function success(
  message: OutgoingMessage,
  sim: Pick<SendingSim, 'simNumber' | 'phoneNumber'>,
  time: EventTime,
  wasOver: boolean,
): Ending {
  const { cmdId } = message
  const outcome = isDelivered(message) ? 'delivered' : 'sent'
  const changes: readonly Change[] = [
    wasOver ? { kind: 'command-corrected', cmdId, outcome } : { kind: 'command-ended', cmdId, at: time.stamp, outcome },
    sentEvent(message, sim, time),
  ]
  if (outcome === 'delivered') return { outcome, changes: [...changes, deliveredEvent(cmdId, sim, time)] }
  for (const [at, { reports }] of message.parts.entries()) {
    const failure = [...reports].findLast(isFailureStatus)
    if (failure === undefined || [...reports].some(isDeliveredStatus)) continue
    const corrected = undelivered(message, at, failure, sim.phoneNumber, time)
    return { outcome: 'failed', changes: [...changes, ...corrected] }
  }
  return { outcome, changes }
}

interface Ending {
  readonly outcome: 'sent' | 'delivered' | 'failed'
  readonly changes: readonly Change[]
}

export function failureChanges(step: Step, message: OutgoingMessage, failure: MessageFailure): readonly Change[] {
  // Reports the failure of the first attempt, because it may have sent the part even if the second attempt failed.
  const { code, reason }: MessageFailure =
    message.possibleDuplicate && failure.code !== 'submit_unknown'
      ? { code: 'submit_unknown', reason: `${submitUnknown}. Sending it again failed: ${failure.reason}` }
      : failure
  const sender = phoneNumberOf(step.state.schedule, message)
  return [
    { kind: 'command-ended', cmdId: message.cmdId, at: step.moment.stamp, outcome: 'failed' },
    failedEvent(message, code, withPartsSent(message, reason), sender, step.moment),
  ]
}

/** Returns the failure of a message after a status report that a part will never arrive. */
export function undelivered(
  message: OutgoingMessage,
  at: number,
  status: number,
  sender: string | undefined,
  time: EventTime,
): readonly Change[] {
  const { description } = statusFromOctet(status)
  const which = message.parts.length > 1 ? `part ${at + 1} of ${message.parts.length}` : 'the message'
  const advice = mayArriveLater(status)
    ? 'The recipient could not be reached in time; try again later.'
    : 'Sending it again unchanged will not help; check the number.'
  const reason = `the network could not deliver ${which}: ${description} (${reportCode(status)}). ${advice}`
  return [
    { kind: 'command-corrected', cmdId: message.cmdId, outcome: 'failed' },
    failedEvent(message, 'report_failed', reason, sender, time),
  ]
}

function isFailureStatus(status: number): boolean {
  const { outcome } = statusFromOctet(status)
  return outcome === 'failed-permanently' || outcome === 'gave-up'
}

function isDeliveredStatus(status: number): boolean {
  return statusFromOctet(status).outcome === 'delivered'
}

function withPartsSent(message: OutgoingMessage, reason: string): string {
  const sent = partsSent(message)
  return sent > 0 ? `partial ${sent}/${message.parts.length}: ${reason}` : reason
}

/** Removes messages that have been in doubt for too long, and the oldest messages above the limit. */
function rememberedUntil(
  remembered: ReadonlyMap<string, OutgoingMessage>,
  nowMs: number,
): ReadonlyMap<string, OutgoingMessage> {
  const kept = new Map(remembered)
  for (const [cmdId, { givenUpMs }] of remembered) {
    if (nowMs - (givenUpMs ?? 0) < rememberedMs && kept.size <= mostRemembered) break
    kept.delete(cmdId)
  }
  return kept
}

export function rememberAll(step: Step, messages: readonly OutgoingMessage[]): void {
  const { nowMs } = step.moment
  const all = new Map(messages.map((message) => [message.cmdId, { ...message, givenUpMs: nowMs }]))
  step.change({ remembered: rememberedUntil(all, nowMs) })
}

/**
 * The journal keeps the record of a message one day longer than this. So the record still exists when late evidence has
 * to change it.
 */
const rememberedMs = 7 * 24 * 60 * 60_000
const mostRemembered = 5000

export const submitUnknown =
  'submit_unknown: the message was handed to the modem, but the answer of the modem was lost. The message may have arrived; check with the recipient before you send it again'

export const outcomeUnknown =
  'outcome unknown: the message was handed to the modem, but the answer of the modem was lost; waiting for a delivery report or a late answer'

export const notConfirmed =
  'the agent restarted and is waiting for the relay to confirm that the journal is not an old copy'

export function noSuchSim(simNumber: number, known: ReadonlySet<number>): MessageFailure {
  const has = [...known].sort((a, b) => a - b).join(', ') || 'none'
  return { code: 'no_such_sim', reason: `this device has no SIM ${simNumber}; it has: ${has}` }
}
