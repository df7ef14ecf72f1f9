import type { SendCommand } from '@smsgw/contract/link/command'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import type { CommandOutcome, Plan, Stamp } from '../../journal/change.ts'
import type { CommandRecord } from '../../journal/read.ts'

/**
 * A message that the agent has accepted. A value: each change makes a new one.
 *
 *   waiting → sending → waiting    a part was refused for now, or the modem disconnected
 *                     → over
 *                     → in-doubt   the outcome of a part is unknown, nothing more is sent → waiting | over
 */
export interface OutgoingMessage {
  readonly cmdId: string
  readonly command: SendCommand
  readonly acceptedMs: number
  /** Wall time. The message fails when it has not been sent by then. */
  readonly deadlineMs: number
  readonly phase: 'waiting' | 'sending' | 'in-doubt' | 'over'
  readonly plan: Plan | undefined
  /** The plan is on disk. No part goes out before. */
  readonly isPlanWritten: boolean
  readonly parts: readonly MessagePart[]
  /** The highest attempt number under earlier plans, also of a plan that was never written: none is used twice. */
  readonly attemptsMade: number
  /** The SIM that was chosen; undefined until one is ready. */
  readonly simNumber: number | undefined
  readonly tries: number
  /** Monotonic time of the next try. */
  readonly notBeforeMs: number
  /** Why the last try failed. */
  readonly lastReason: string | undefined
  readonly isCancelled: boolean
  readonly outcome: CommandOutcome | undefined
  /** Read from an old copy of the journal: the newer journal may have sent it. */
  readonly isDistrusted: boolean
  /** Sent again on request although the first attempt may have gone out. */
  readonly possibleDuplicate: boolean
  /** Monotonic time at which it ended as `submit_unknown`. Later evidence still corrects that. */
  readonly givenUpMs: number | undefined
}

export interface MessagePart {
  readonly pdu: string
  readonly tpduLength: number
  /** The state of the last attempt. `committed`: it may be on the air, and the answer is pending. */
  readonly state: 'to-send' | 'committed' | 'accepted' | 'refused' | 'not-sent' | 'unknown'
  /** The number of the last attempt. */
  readonly attempts: number
  readonly committed: Stamp | undefined
  readonly reference: number | undefined
  /** TP-ST of every status report that arrived. */
  readonly reports: ReadonlySet<number>
}

export function newMessage(command: SendCommand, receivedMs: number, lifeMs: number): OutgoingMessage {
  return {
    cmdId: command.cmdId,
    command,
    acceptedMs: Date.parse(command.acceptedAt),
    deadlineMs: command.validUntil === undefined ? receivedMs + lifeMs : Date.parse(command.validUntil),
    phase: 'waiting',
    plan: undefined,
    isPlanWritten: false,
    parts: [],
    attemptsMade: 0,
    simNumber: undefined,
    tries: 0,
    notBeforeMs: 0,
    lastReason: undefined,
    isCancelled: false,
    outcome: undefined,
    isDistrusted: false,
    possibleDuplicate: false,
    givenUpMs: undefined,
  }
}

/** The message of a journal record. A part with a COMMIT and no RESULT is in doubt. */
export function restoredMessage(record: CommandRecord, command: SendCommand, lifeMs: number): OutgoingMessage {
  const note = (record.note ?? {}) as MessageNote
  const attemptsMade = Math.max(0, ...record.attempts.map(({ attempt }) => attempt))
  const fresh = { ...newMessage(command, record.received.wallMs, lifeMs), attemptsMade }
  const planned = record.plan === undefined ? fresh : withPlan(fresh, record.plan)
  const parts = planned.parts.map((part, at): MessagePart => {
    const last = record.attempts.filter((attempt) => attempt.part === at + 1).at(-1)
    const reports = new Set(record.reports.flatMap((report) => (report.part === at + 1 ? [report.status] : [])))
    if (last === undefined) return { ...part, reports }
    const { committed, reference, result } = last
    return { ...part, committed, reference, state: result ?? 'unknown', reports }
  })
  const message: OutgoingMessage = {
    ...planned,
    parts,
    isPlanWritten: record.plan !== undefined,
    tries: note.tries ?? 0,
    lastReason: note.lastReason,
    possibleDuplicate: note.possibleDuplicate ?? false,
    isDistrusted: note.isDistrusted ?? false,
    outcome: record.outcome,
  }
  if (record.outcome !== undefined) return { ...message, phase: 'over' }
  return isInDoubt(message) || message.isDistrusted ? { ...message, phase: 'in-doubt' } : message
}

export function withPlan(message: OutgoingMessage, plan: Plan): OutgoingMessage {
  const attempts = Math.max(message.attemptsMade, ...message.parts.map((part) => part.attempts))
  const parts = plan.parts.map(({ pdu, tpduLength }) => ({
    pdu,
    tpduLength,
    state: 'to-send' as const,
    attempts,
    committed: undefined,
    reference: undefined,
    reports: new Set<number>(),
  }))
  return { ...message, plan, isPlanWritten: false, simNumber: plan.simNumber, parts, attemptsMade: attempts }
}

/** No part is on the air: the message may be planned again, for another SIM. */
export function withoutPlan(message: OutgoingMessage): OutgoingMessage {
  return { ...message, plan: undefined, simNumber: undefined }
}

export function withPart(message: OutgoingMessage, at: number, change: Partial<MessagePart>): OutgoingMessage {
  return { ...message, parts: message.parts.map((part, index) => (index === at ? { ...part, ...change } : part)) }
}

/** What the journal stores about a message, apart from plan and attempts. */
export function noteOf({ tries, lastReason, possibleDuplicate, isDistrusted }: OutgoingMessage): MessageNote {
  return {
    tries,
    ...(lastReason !== undefined && { lastReason }),
    ...(possibleDuplicate && { possibleDuplicate }),
    ...(isDistrusted && { isDistrusted }),
  }
}

interface MessageNote {
  readonly tries?: number
  readonly lastReason?: string
  readonly possibleDuplicate?: boolean
  readonly isDistrusted?: boolean
  readonly [name: string]: number | string | boolean | undefined
}

/** The SIM that the request names, or the one chosen so far. */
export function wantedSim({ command, simNumber }: OutgoingMessage): number | undefined {
  return command.simNumber ?? simNumber
}

/** A part may be on the air: plan and SIM must not change. */
export function hasBegun({ parts }: OutgoingMessage): boolean {
  return parts.some(({ state }) => state === 'accepted' || state === 'unknown' || state === 'committed')
}

/** No part was ever handed to a modem. */
export function canBeCancelled(message: OutgoingMessage): boolean {
  return !hasBegun(message) && !message.possibleDuplicate && !message.isDistrusted && message.outcome === undefined
}

export function partsSent({ parts }: OutgoingMessage): number {
  return parts.filter(({ state }) => state === 'accepted').length
}

export function isSent(message: OutgoingMessage): boolean {
  return message.parts.length > 0 && partsSent(message) === message.parts.length
}

export function isInDoubt({ parts }: OutgoingMessage): boolean {
  return parts.some(({ state }) => state === 'unknown')
}

/** 0-based; undefined when all parts were accepted. */
export function nextPart({ parts }: OutgoingMessage): number | undefined {
  const at = parts.findIndex(({ state }) => state !== 'accepted')
  return at < 0 ? undefined : at
}

export function isDelivered(message: OutgoingMessage): boolean {
  const hasArrived = ({ reports }: MessagePart) =>
    [...reports].some((status) => statusFromOctet(status).outcome === 'delivered')
  return isSent(message) && message.parts.every(hasArrived)
}
