import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change } from '../../journal/change.ts'
import { datedMs } from '../../time/trusted-time.ts'
import type { AttemptResult } from '../message/attempt-result.ts'
import {
  dequeue,
  end,
  endSent,
  enqueue,
  fail,
  failureChanges,
  outcomeUnknown,
  submitUnknown,
} from '../message/endings.ts'
import { isInDoubt, isSent, noteOf, type OutgoingMessage, withPart } from '../message/message.ts'
import { partReportedEvent, resentEvent, waitingEvent } from '../message/message-events.ts'
import { putUnwritten, resultChanges, settledPart, type UnwrittenPart, unwrittenName } from '../message/results.ts'
import { phoneNumberOf } from '../schedule/lanes.ts'
import type { SendingState } from '../sending-state.ts'
import { type Step, withEntry, withoutEntry } from '../step.ts'
import { VersionedMap } from '../versioned-map.ts'
import { significantPart } from './numbers-match.ts'

/**
 * Messages with a part whose outcome is unknown: PDU and Ctrl-Z were written, or may have been written, and no answer
 * was read. No further part of such a message is sent.
 *
 * States:
 *
 *   open → resolved   by a late answer, or by a status report that matches no part with a known reference
 *        → given up   after the window: the message is sent once more if the request asks for it. Otherwise it ends
 *                     as `submit_unknown`, and stays in memory because later evidence still corrects the outcome
 *
 * Meanwhile later messages from the same SIM to the same number wait for at most two minutes, so that a report can only
 * be about the message in doubt.
 */
export interface DoubtState {
  /** The monotonic time at which each doubt is given up, by message. */
  readonly untilMs: ReadonlyMap<string, number>
  /** The message in doubt that holds back later messages, by SIM and phone number. */
  readonly holds: ReadonlyMap<string, { readonly cmdId: string; readonly untilMs: number }>
  /** Parts that a modem is sending, or whose result is not on disk yet. */
  readonly unwritten: VersionedMap<string, UnwrittenPart>
  /** The TP-MR of the last part that each SIM sent, by ICCID. The reference helps people to examine a part in doubt. */
  readonly lastReferences: VersionedMap<string, number>
}

export function newDoubts(): DoubtState {
  return {
    untilMs: new Map(),
    holds: new Map(),
    unwritten: new VersionedMap(),
    lastReferences: new VersionedMap(),
  }
}

/** Puts a message in doubt. Returns the changes to be written with the result of the part. */
export function openDoubt(step: Step, message: OutgoingMessage, at: number, code: string): readonly Change[] {
  const doubted = { ...message, lastReason: `part ${at + 1}: ${code}` }
  watch(step, doubted, step.state.limits.doubtWindowMs)
  return [waitingEvent(message.cmdId, 'outcome_unknown', outcomeUnknown, step.moment)]
}

/**
 * Puts a message in doubt again after a restart, because the process ended between COMMIT and RESULT, or during the
 * doubt.
 */
export function restoreDoubt(step: Step, message: OutgoingMessage): void {
  const { wallMs, trusted } = step.moment.stamp
  const committed = message.parts.flatMap((part) =>
    part.state === 'unknown' && part.committed !== undefined ? (datedMs(part.committed, step.moment.stamp) ?? []) : [],
  )
  const committedMs = Math.max(0, ...committed)
  const passedMs = trusted && committedMs > 0 ? Math.max(0, wallMs - committedMs) : 0
  watch(step, message, Math.max(0, step.state.limits.doubtWindowMs - passedMs))
  const event = waitingEvent(message.cmdId, 'outcome_unknown', outcomeUnknown, step.moment)
  step.write([event], { crashPoint: 'doubt-journaled' })
}

/**
 * Puts all open messages in doubt and sends none, because they may have been sent since this copy of the journal was
 * made.
 */
export function distrust(step: Step, renounced: Change): void {
  const changes = [...step.state.open.values()].flatMap((message): readonly Change[] => {
    dequeue(step, message)
    const distrusted = { ...message, isDistrusted: true }
    watch(step, distrusted, step.state.limits.doubtWindowMs)
    return [
      { kind: 'command-noted', cmdId: message.cmdId, note: noteOf(distrusted) },
      waitingEvent(message.cmdId, 'outcome_unknown', outcomeUnknown, step.moment),
    ]
  })
  step.write([renounced, ...changes])
}

/**
 * Returns the monotonic time until which this message must wait because another message is in doubt. Returns 0 if it
 * need not wait.
 */
export function heldUntilMs({ doubt }: SendingState, nowMs: number, iccid: string, message: OutgoingMessage): number {
  if (doubt.holds.size === 0) return 0
  const hold = doubt.holds.get(holdName(iccid, message.plan?.destination ?? message.command.phoneNumber))
  return hold === undefined || hold.cmdId === message.cmdId || hold.untilMs <= nowMs ? 0 : hold.untilMs
}

export function lateResult(step: Step, cmdId: string, at: number, attempt: number, result: AttemptResult): void {
  const message = doubtfulMessages(step.state).find((each) => each.cmdId === cmdId)
  const part = message?.parts[at]
  if (message === undefined || part?.state !== 'unknown' || part.attempts !== attempt) return
  addEvidence(step, message, { at, result, changes: [], isAnswer: true })
}

/** A status report proves that the part was accepted. */
export function proveAccepted(step: Step, cmdId: string, at: number, report: StatusReport): void {
  const message = step.message(cmdId)
  const part = message?.parts[at]
  if (message === undefined || part === undefined) return
  const { status, messageReference: reference } = report
  const reported = withPart(message, at, { reports: new Set([...part.reports, status]) })
  const changes: readonly Change[] = [
    { kind: 'part-reported', cmdId, part: at + 1, status, at: step.moment.stamp },
    partReportedEvent(cmdId, at, status, step.moment),
  ]
  addEvidence(step, reported, { at, result: { kind: 'accepted', reference }, changes, isAnswer: false })
}

/** Gives up the doubts whose window is over. */
export function giveUpDoubts(step: Step): void {
  for (const [cmdId, untilMs] of step.state.doubt.untilMs) {
    if (untilMs > step.moment.nowMs) continue
    step.changeDoubt({ untilMs: withoutEntry(step.state.doubt.untilMs, cmdId) })
    const message = step.message(cmdId)
    if (message !== undefined) giveUp(step, message)
  }
}

/**
 * Called when the evidence or the decision is on disk. The message then continues at the part that was in doubt, or
 * ends.
 */
export function resolveDoubt(step: Step, cmdId: string, result?: AttemptResult): void {
  const message = step.message(cmdId)
  if (message === undefined) return
  if (isSent(message)) endSent(step, message, phoneNumberOf(step.state.schedule, message))
  else if (message.outcome !== undefined) end(step, message)
  else if (result?.kind === 'refused' && result.again === 'never') {
    fail(step, message, { code: 'refused', reason: result.reason })
  } else enqueue(step, { ...message, phase: 'waiting' })
}

/** Called when `submit_unknown` is on disk. If evidence arrived before that, the message has already ended. */
export function giveUpWritten(step: Step, cmdId: string): void {
  const message = step.message(cmdId)
  if (message !== undefined && !isSent(message)) resolveDoubt(step, cmdId)
}

/** Returns the messages in doubt, open or given up. */
export function doubtfulMessages({ open, doubt, remembered }: SendingState): readonly OutgoingMessage[] {
  const inDoubt = [...doubt.untilMs.keys()].flatMap((cmdId) => open.get(cmdId) ?? [])
  // Does not copy the open messages, because this is called for each status report, and there may be thousands.
  for (const messages of [open, remembered])
    for (const message of messages.values()) if (message.givenUpMs !== undefined) inDoubt.push(message)
  return inDoubt
}

interface Evidence {
  readonly at: number
  readonly result: AttemptResult
  readonly changes: readonly Change[]
  /** True if the evidence is an answer of the modem, false if it is a status report. */
  readonly isAnswer: boolean
}

function addEvidence(step: Step, before: OutgoingMessage, { at, result, changes, isAnswer }: Evidence): void {
  const { cmdId, plan } = before
  if (plan === undefined) return
  const settled = settledPart(step, before, at, result, plan.iccid)
  // Several parts may be in doubt, because a full disk may have prevented their results from being written.
  const isResolved = isSent(settled) || !(isInDoubt(settled) || settled.isDistrusted || settled.givenUpMs !== undefined)
  // The state is changed before the write, because the write may take longer than the rest of the window.
  const message = step.put(isResolved ? { ...settled, givenUpMs: undefined } : settled)
  if (isResolved) closeDoubt(step, message)
  const attempt = message.parts[at]?.attempts ?? 0
  const unwritten = `evidence ${unwrittenName(cmdId, at, attempt)}`
  putUnwritten(step, unwritten, message, at)
  const reference = result.kind === 'accepted' ? result.reference : undefined
  step.write([...resultChanges(message, at, attempt, result, step.moment), ...changes], {
    onSettled: { kind: 'result-written', unwritten, reference, isAnswer },
    ...(isResolved && { onWritten: { kind: 'doubt-resolved', cmdId, result } }),
  })
}

function giveUp(step: Step, message: OutgoingMessage): void {
  const { cmdId, command } = message
  // Ends the delay of later messages in every case, because nothing else removes an expired delay.
  endHold(step, message)
  // The message may have ended already, because the modem answered for its last part after the message was put in
  // doubt.
  if (message.outcome !== undefined) return
  if (command.onUncertain === 'resend' && !message.possibleDuplicate && !message.isDistrusted) {
    const parts = message.parts.map((part) =>
      part.state === 'unknown' ? { ...part, state: 'to-send' as const } : part,
    )
    const again = step.put({ ...message, possibleDuplicate: true, parts })
    step.write([{ kind: 'command-noted', cmdId, note: noteOf(again) }, resentEvent(cmdId, step.moment)], {
      onWritten: { kind: 'doubt-resolved', cmdId, result: undefined },
    })
    return
  }
  const failed = step.put({ ...message, outcome: 'failed', givenUpMs: step.moment.nowMs })
  const changes = failureChanges(step, failed, { code: 'submit_unknown', reason: submitUnknown })
  step.write(changes, { onWritten: { kind: 'give-up-written', cmdId } })
}

function watch(step: Step, message: OutgoingMessage, windowMs: number): void {
  const { nowMs } = step.moment
  step.put({ ...message, phase: 'in-doubt' })
  step.changeDoubt({ untilMs: withEntry(step.state.doubt.untilMs, message.cmdId, nowMs + windowMs) })
  if (message.plan === undefined) return
  const hold = { cmdId: message.cmdId, untilMs: nowMs + Math.min(windowMs, step.state.limits.destinationHoldMs) }
  const name = holdName(message.plan.iccid, message.plan.destination)
  const current = [...step.state.doubt.holds].filter(([, { untilMs }]) => untilMs > nowMs)
  step.changeDoubt({ holds: new Map(current).set(name, hold) })
}

function closeDoubt(step: Step, message: OutgoingMessage): void {
  step.changeDoubt({ untilMs: withoutEntry(step.state.doubt.untilMs, message.cmdId) })
  endHold(step, message)
}

function endHold(step: Step, { cmdId, plan }: OutgoingMessage): void {
  if (plan === undefined) return
  const { holds } = step.state.doubt
  const name = holdName(plan.iccid, plan.destination)
  if (holds.get(name)?.cmdId === cmdId) step.changeDoubt({ holds: withoutEntry(holds, name) })
}

function holdName(iccid: string, destination: string): string {
  return `${iccid} ${significantPart(destination)}`
}
