// The events about messages, as changes that are committed together with their cause.

import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentFailureCode } from '@smsgw/contract/messages/failure-code'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import { storable } from '@smsgw/sms/text/ucs2'
import type { Change } from '../../journal/change.ts'
import type { SendingSim } from '../sending-sim.ts'
import type { Moment } from '../sending-state.ts'
import { type OutgoingMessage, partsSent, wantedSim } from './message.ts'

export type EventTime = Pick<Moment, 'stamp' | 'local'>

export function processedEvent(cmdId: string, time: EventTime): Change {
  return eventAt(time, { kind: 'processed', cmdId })
}

export function partSubmittedEvent(
  message: OutgoingMessage,
  at: number,
  result: {
    readonly result: 'accepted' | 'refused' | 'unknown'
    readonly reference?: number
    readonly code?: string
    readonly words?: string
    readonly advice?: string
  },
  time: EventTime,
): Change {
  const { cmdId, parts, simNumber } = message
  const place = { part: at + 1, parts: parts.length, simNumber: simNumber ?? 1 }
  return eventAt(time, { kind: 'part-submitted', cmdId, ...place, ...result })
}

export function partReportedEvent(cmdId: string, at: number, status: number, time: EventTime): Change {
  const words = statusFromOctet(status).description
  return eventAt(time, { kind: 'part-reported', cmdId, part: at + 1, status, words })
}

export function sentEvent(message: OutgoingMessage, sim: SimIdentity, time: EventTime): Change {
  return eventAt(time, {
    kind: 'sent',
    cmdId: message.cmdId,
    simNumber: sim.simNumber,
    parts: message.parts.length,
    ...senderOf(sim.phoneNumber),
    ...(message.possibleDuplicate && { possibleDuplicate: true }),
  })
}

export function deliveredEvent(cmdId: string, sim: SimIdentity, time: EventTime): Change {
  return eventAt(time, { kind: 'delivered', cmdId, simNumber: sim.simNumber, ...senderOf(sim.phoneNumber) })
}

export function failedEvent(
  message: OutgoingMessage,
  code: AgentFailureCode,
  reason: string,
  sender: string | undefined,
  time: EventTime,
): Change {
  const simNumber = wantedSim(message)
  return eventAt(time, {
    kind: 'failed',
    cmdId: message.cmdId,
    code,
    reason: limited(reason, 500),
    ...(simNumber !== undefined && { simNumber }),
    ...senderOf(sender),
    ...(message.parts.length > 0 && { partsSent: partsSent(message), parts: message.parts.length }),
    ...(message.possibleDuplicate && { possibleDuplicate: true }),
  })
}

export function waitingEvent(
  cmdId: string,
  code: 'outcome_unknown' | 'retrying',
  reason: string,
  time: EventTime,
): Change {
  return eventAt(time, { kind: 'waiting', cmdId, code, reason: limited(reason, 500) })
}

/** The event for a message in doubt that is sent again because the request asked for it. */
export function resentEvent(cmdId: string, time: EventTime): Change {
  const reason = 'sending the message again as requested; it may arrive twice'
  return eventAt(time, { kind: 'waiting', cmdId, code: 'retrying', reason, possibleDuplicate: true })
}

/** @param sim the SIM that was chosen for the message, if a SIM had been chosen already */
export function cancelledEvent(cmdId: string, sim: PlannedSim, time: EventTime): Change {
  const { simNumber, phoneNumber } = sim
  return eventAt(time, {
    kind: 'cancelled',
    cmdId,
    ...(simNumber !== undefined && { simNumber }),
    ...senderOf(phoneNumber),
  })
}

export function cancelRefusedEvent(cmdId: string, time: EventTime): Change {
  return eventAt(time, { kind: 'cancel-refused', cmdId })
}

export function simHeldEvent(simNumber: number, why: 'limit' | 'work-hours', untilMs: number, time: EventTime): Change {
  const reason = why === 'limit' ? 'message limit reached' : 'outside work hours'
  return eventAt(time, {
    kind: 'logged',
    module: 'sending',
    priority: 'INFO',
    message: `SIM ${simNumber} paused until ${time.local(untilMs)}: ${reason}`,
  })
}

type SimIdentity = Pick<SendingSim, 'simNumber' | 'phoneNumber'>
interface PlannedSim {
  readonly simNumber?: number | undefined
  readonly phoneNumber?: string | undefined
}

type WithoutTime<Event> = Event extends AgentEvent ? Omit<Event, 'at'> : never

function eventAt(time: EventTime, event: WithoutTime<AgentEvent>): Change {
  return { kind: 'event', event: { ...event, at: time.local(time.stamp.wallMs) } as AgentEvent }
}

/** Checks the length, because the SIM may store any text as its number. */
function senderOf(phoneNumber: string | undefined): { readonly sender?: string } {
  return phoneNumber === undefined ? {} : { sender: limited(phoneNumber, 128) }
}

/**
 * Shortens a text to the limit of an event, because the text may come from a modem. Also removes characters that
 * PostgreSQL cannot store.
 */
function limited(text: string, most: number): string {
  return storable(text.slice(0, most))
}
