import { storable } from '@smsgw/sms/text/ucs2'
import type { Change, Stamp } from '../../journal/change.ts'
import { type Step, withEntry, withoutEntry } from '../step.ts'
import { type MessagePart, type OutgoingMessage, withPart } from './message.ts'
import { type EventTime, partSubmittedEvent } from './message-events.ts'
import type { Verdict } from './verdict.ts'

/** The message after the verdict on one of its parts. Stores the reference as the last one of the SIM. */
export function settledPart(
  step: Step,
  message: OutgoingMessage,
  at: number,
  verdict: Verdict,
  iccid: string,
  isCommitted = true,
): OutgoingMessage {
  switch (verdict.kind) {
    case 'accepted': {
      const { reference } = verdict
      const { lastReferences } = step.state.doubt
      if (reference !== undefined) step.changeDoubt({ lastReferences: withEntry(lastReferences, iccid, reference) })
      return withPart(message, at, { state: 'accepted', reference })
    }
    case 'unsent':
      return isCommitted ? withPart(message, at, { state: 'not-sent' }) : message
    default:
      return withPart(message, at, { state: verdict.kind })
  }
}

/** The RESULT of an attempt, and the event about it. */
export function resultChanges(
  message: OutgoingMessage,
  at: number,
  attempt: number,
  verdict: Verdict,
  time: EventTime,
): readonly Change[] {
  const key = { cmdId: message.cmdId, part: at + 1, attempt, at: time.stamp }
  if (verdict.kind === 'unsent') return [{ kind: 'part-result', ...key, result: 'not-sent', code: verdict.why }]
  const result = {
    result: verdict.kind,
    ...(verdict.kind === 'accepted' && verdict.reference !== undefined && { reference: verdict.reference }),
    ...(verdict.kind !== 'accepted' && { code: storable(verdict.code.slice(0, 200)) }),
  }
  const explained = verdict.kind === 'refused' ? verdict.explained : undefined
  return [
    { kind: 'part-result', ...key, ...result },
    partSubmittedEvent(message, at, { ...result, ...explained }, time),
  ]
}

/**
 * A part that is at a modem, or was, and whose result is not on disk yet: with a full disk that takes minutes. Until then
 * the journal does not have its reference, and a status report about it must not count as evidence for another part.
 */
export interface UnwrittenPart {
  readonly iccid: string
  readonly destination: string
  readonly requestsReport: boolean
  readonly committed: Stamp | undefined
  readonly state: MessagePart['state']
  readonly reference: number | undefined
}

export function putUnwritten(step: Step, name: string, { plan, parts }: OutgoingMessage, at: number): void {
  const part = parts[at]
  if (plan === undefined || part === undefined) return
  const { iccid, destination, requestsReport } = plan
  const { committed, state, reference } = part
  const unwritten = { iccid, destination, requestsReport, committed, state, reference }
  step.changeDoubt({ unwritten: withEntry(step.state.doubt.unwritten, name, unwritten) })
}

export function removeUnwritten(step: Step, name: string): void {
  step.changeDoubt({ unwritten: withoutEntry(step.state.doubt.unwritten, name) })
}

export function unwrittenName(cmdId: string, at: number, attempt: number): string {
  return `${cmdId} ${at} ${attempt}`
}
