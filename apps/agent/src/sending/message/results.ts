import { storable } from '@smsgw/sms/text/ucs2'
import type { Change, Stamp } from '../../journal/change.ts'
import type { Step } from '../step.ts'
import type { AttemptResult } from './attempt-result.ts'
import { type MessagePart, type OutgoingMessage, withPart } from './message.ts'
import { type EventTime, partSubmittedEvent } from './message-events.ts'

/** Returns the message with the result of one more part, and stores the reference as the last reference of the SIM. */
export function settledPart(
  step: Step,
  message: OutgoingMessage,
  at: number,
  result: AttemptResult,
  iccid: string,
  isCommitted = true,
): OutgoingMessage {
  switch (result.kind) {
    case 'accepted': {
      const { reference } = result
      const { lastReferences } = step.state.doubt
      if (reference !== undefined) step.changeDoubt({ lastReferences: lastReferences.with(iccid, reference) })
      return withPart(message, at, { state: 'accepted', reference })
    }
    case 'unsent':
      return isCommitted ? withPart(message, at, { state: 'not-sent' }) : message
    default:
      return withPart(message, at, { state: result.kind })
  }
}

/** Returns the RESULT of an attempt and the event about it. */
export function resultChanges(
  message: OutgoingMessage,
  at: number,
  attempt: number,
  result: AttemptResult,
  time: EventTime,
): readonly Change[] {
  const key = { cmdId: message.cmdId, part: at + 1, attempt, at: time.stamp }
  if (result.kind === 'unsent') return [{ kind: 'part-result', ...key, result: 'not-sent', code: result.why }]
  const reported = {
    result: result.kind,
    ...(result.kind === 'accepted' && result.reference !== undefined && { reference: result.reference }),
    ...(result.kind !== 'accepted' && { code: storable(result.code.slice(0, 200)) }),
  }
  const explained = result.kind === 'refused' ? result.explained : undefined
  return [
    { kind: 'part-result', ...key, ...reported },
    partSubmittedEvent(message, at, { ...reported, ...explained }, time),
  ]
}

/**
 * A part that was passed to a modem, and whose result is not on disk yet. If the disk is full, writing the result may
 * take minutes. Until then the reference of the part is not in the journal, and a status report about this part must
 * not count as evidence for another part.
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
  step.changeDoubt({ unwritten: step.state.doubt.unwritten.with(name, unwritten) })
}

export function removeUnwritten(step: Step, name: string): void {
  step.changeDoubt({ unwritten: step.state.doubt.unwritten.without(name) })
}

export function unwrittenName(cmdId: string, at: number, attempt: number): string {
  return `${cmdId} ${at} ${attempt}`
}
