import type { SendCommand } from '@smsgw/contract/link/command'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import type { CommandOutcome, Plan, Stamp } from '../../journal/change.ts'
import type { CommandRecord } from '../../journal/read.ts'
import type { SendingSim } from '../sending-sim.ts'

/**
 * A message that the agent has accepted. Immutable: each change creates a new object.
 *
 * States:
 *
 *   waiting → sending → waiting    a part was refused temporarily, or the modem disconnected
 *                     → over
 *                     → in-doubt   the outcome of a part is unknown, nothing more is sent → waiting | over
 */
export interface OutgoingMessage {
  readonly cmdId: string
  readonly command: SendCommand
  readonly acceptedMs: number
  /** The wall time by which the message must be sent; otherwise it fails. */
  readonly deadlineMs: number
  readonly phase: 'waiting' | 'sending' | 'in-doubt' | 'over'
  readonly plan: Plan | undefined
  /** True if the plan is on disk. Before that, no part is sent. */
  readonly isPlanWritten: boolean
  readonly parts: readonly MessagePart[]
  /**
   * The highest attempt number of all earlier plans, including plans that are not on disk, so that no number is used
   * twice.
   */
  readonly attemptsMade: number
  /** The chosen SIM; undefined until a SIM is ready. */
  readonly simNumber: number | undefined
  readonly tries: number
  /** Monotonic time of the next try. */
  readonly notBeforeMs: number
  /** The reason why the last try failed. */
  readonly lastReason: string | undefined
  readonly isCancelled: boolean
  readonly outcome: CommandOutcome | undefined
  /** True if the message comes from an old copy of the journal. It may have been sent since the copy was made. */
  readonly isDistrusted: boolean
  /** True if the message was sent again on request. The first attempt may also have reached the network. */
  readonly possibleDuplicate: boolean
  /** The monotonic time at which the message ended as `submit_unknown`. Later evidence may correct this outcome. */
  readonly givenUpMs: number | undefined
}

export interface MessagePart {
  readonly pdu: string
  readonly tpduLength: number
  /** The whole text; only for a modem that encodes the PDUs itself. */
  readonly text: string | undefined
  /**
   * The state of the last attempt. `committed`: the part may have been sent, and the answer of the modem is pending.
   */
  readonly state: 'to-send' | 'committed' | 'accepted' | 'refused' | 'not-sent' | 'unknown'
  /** The number of the last attempt. */
  readonly attempts: number
  readonly committed: Stamp | undefined
  readonly reference: number | undefined
  /** The TP-ST of every status report that has arrived. */
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

/** Returns the message of a journal record. A part with a COMMIT and no RESULT is in doubt. */
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
  const parts = plan.parts.map(({ pdu, tpduLength, text }) => ({
    pdu,
    tpduLength,
    text,
    state: 'to-send' as const,
    attempts,
    committed: undefined,
    reference: undefined,
    reports: new Set<number>(),
  }))
  return { ...message, plan, isPlanWritten: false, simNumber: plan.simNumber, parts, attemptsMade: attempts }
}

/** Returns true if the plan has the form that the modem of the SIM needs: the whole text, or PDUs. */
export function isPlannedFor({ plan }: OutgoingMessage, { sendsText = false }: SendingSim): boolean {
  return plan === undefined || plan.parts.every(({ text }) => (text !== undefined) === sendsText)
}

/** Removes the plan of a message of which no part was sent, so that the message can be planned for another SIM. */
export function withoutPlan(message: OutgoingMessage): OutgoingMessage {
  return { ...message, plan: undefined, simNumber: undefined }
}

export function withPart(message: OutgoingMessage, at: number, change: Partial<MessagePart>): OutgoingMessage {
  return { ...message, parts: message.parts.map((part, index) => (index === at ? { ...part, ...change } : part)) }
}

/** Returns the data that the journal stores about a message, except plan and attempts. */
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

/** Returns the SIM that the request names, otherwise the chosen SIM. */
export function wantedSim({ command, simNumber }: OutgoingMessage): number | undefined {
  return command.simNumber ?? simNumber
}

/** Returns true if a part may have been sent, so that plan and SIM must not change. */
export function hasBegun({ parts }: OutgoingMessage): boolean {
  return parts.some(({ state }) => state === 'accepted' || state === 'unknown' || state === 'committed')
}

/** Returns true if no part was ever given to a modem. */
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

/** Returns the next part to send, counted from 0; undefined if all parts were accepted. */
export function nextPart({ parts }: OutgoingMessage): number | undefined {
  const at = parts.findIndex(({ state }) => state !== 'accepted')
  return at < 0 ? undefined : at
}

export function isDelivered(message: OutgoingMessage): boolean {
  const hasArrived = ({ reports }: MessagePart) =>
    [...reports].some((status) => statusFromOctet(status).outcome === 'delivered')
  return isSent(message) && message.parts.every(hasArrived)
}
