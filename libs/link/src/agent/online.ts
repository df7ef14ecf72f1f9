import type { AgentFrame, RelayFrame, Welcome } from '@smsgw/contract/link/frame'
import { acceptCommand, emptyInbox, nextCredit } from '../commands/command-inbox.ts'
import { receiveCommand } from '../commands/received-command.ts'
import { pongReceived, startHeartbeat, tickHeartbeat, ticksPerHeartbeat } from '../connection/heartbeat.ts'
import type { PauseRange } from '../connection/timers.ts'
import {
  acknowledge,
  eventFrames,
  type JournaledEvent,
  markSent,
  nextReading,
  resume,
  tickOutbox,
  waitsForFewEvents,
} from '../events/event-outbox.ts'
import { closeAgentConnection } from './connecting.ts'
import { clearTakeovers, ticksUntilCleared } from './duplicate-identity.ts'
import { refill } from './frame-budget.ts'
import type { AgentEffect, AgentState, AgentStep, Online } from './state.ts'

/**
 * 10 s. An acknowledgement after this time proves that the connection works, and resets the number of attempts. An
 * earlier acknowledgement does not reset this number. Otherwise, if a relay failed under load, all its agents would
 * reconnect without a pause.
 */
const ticksUntilProven = 2
const leastHeartbeatSeconds = 1
/** 30 s */
const ticksForAcknowledgement = 6
/** The pause between two announcements of credit. A modem takes longer than this for one message. */
const creditPause: PauseRange = { fromMs: 50, toMs: 50 }

export type OnlineState = AgentState & { readonly phase: Online }

export function isOnline(state: AgentState): state is OnlineState {
  return state.phase.kind === 'online'
}

export function beginOnline(state: AgentState, welcome: Welcome): AgentStep {
  const { mark, streamId } = welcome
  const phase: Online = { kind: 'online', welcome, heartbeat: startHeartbeat, inbox: emptyInbox, ticks: 0 }
  const online = { ...state, journal: { ...state.journal, streamId }, outbox: resume(state.outbox, mark), phase }
  return then(advanceOnline(online), [
    { kind: 'cancel-timer', timer: 'handshake' },
    tickLater(online),
    { kind: 'record-mark', mark, streamId },
    { kind: 'apply-settings', settings: welcome.settings },
    { kind: 'connected', welcome },
  ])
}

/** Returns undefined for a frame that is not expected in the state `online`. */
export function handleRelayFrame(state: OnlineState, frame: RelayFrame): AgentStep | undefined {
  const { outbox, phase } = state
  switch (frame.type) {
    case 'stored': {
      if (frame.upto > outbox.sent)
        return closeAgentConnection(
          state,
          'malformed',
          `the relay acknowledged event ${frame.upto}, which was not sent`,
        )
      const { streamId } = phase.welcome
      const known = frame.upto > outbox.mark ? resetAttempts(state) : state
      return then(advanceOnline({ ...known, outbox: acknowledge(outbox, frame.upto) }), [
        { kind: 'record-mark', mark: frame.upto, streamId },
      ])
    }
    case 'replay':
      if (frame.from > outbox.sent + 1)
        return closeAgentConnection(state, 'malformed', `the relay asked for event ${frame.from}, which was not sent`)
      return advanceOnline({ ...state, outbox: resume(outbox, frame.from - 1) })
    case 'command':
      return receiveOne(state, frame.command)
    case 'pong': {
      const heartbeat = pongReceived(phase.heartbeat, frame.number)
      const isAnswer = heartbeat.unanswered !== phase.heartbeat.unanswered
      return unchanged({ ...(isAnswer ? resetAttempts(state) : state), phase: { ...phase, heartbeat } })
    }
    default:
      return undefined
  }
}

/** Resets the number of attempts, because an answer of the relay shows that the connection works in both directions. */
function resetAttempts(state: OnlineState): OnlineState {
  return state.phase.ticks >= ticksUntilProven ? { ...state, attempts: 0, unreachable: 0 } : state
}

export function eventsRead(state: OnlineState, from: number, events: readonly JournaledEvent[]): AgentStep {
  const { outbox, connection } = state
  // This answer is outdated: since these events were requested from the journal, the relay has requested a replay, or
  // events were removed.
  if (outbox.readingFrom !== from) return unchanged(state)
  const frames = eventFrames(outbox.sent, from, events)
  const sending = frames.map(({ upto: _, ...frame }): AgentEffect => ({ kind: 'send', connection, ...frame }))
  const read = { ...state, outbox: markSent(outbox, frames) }
  return then(events.length === 0 ? unchanged(read) : advanceOnline(read), sending)
}

/**
 * Acknowledges commands, even commands of an earlier connection. The relay ignores acknowledgements of commands that it
 * did not send on this connection.
 */
export function confirmJournaled(state: OnlineState, keys: readonly string[]): AgentStep {
  const step = advanceOnline(state)
  return keys.length === 0 ? step : then(step, [send(state, { type: 'journaled', keys: [...keys] })])
}

export function tickAgent(state: OnlineState): AgentStep {
  const outbox = tickOutbox(state.outbox)
  if (outbox.unacknowledgedTicks >= ticksForAcknowledgement)
    return closeAgentConnection(state, 'timed-out', 'the relay does not acknowledge events')
  const { heartbeat, verdict } = tickHeartbeat(state.phase.heartbeat, waitsForFewEvents(outbox, tickSeconds(state)))
  if (verdict === 'dead') return closeAgentConnection(state, 'timed-out', 'no answer from the relay')
  const ticks = state.phase.ticks + 1
  const ticked = {
    ...state,
    outbox,
    budget: refill(state.budget, tickSeconds(state)),
    phase: { ...state.phase, heartbeat, ticks },
    ...(ticks >= ticksUntilCleared && { duplicate: clearTakeovers(state.duplicate) }),
  }
  const pinging = verdict === 'ping' ? [send(state, { type: 'ping', number: heartbeat.number })] : []
  return { state: ticked, effects: [...pinging, tickLater(ticked)] }
}

/** Reads the next events and announces new credit, if possible. */
export function advanceOnline(state: OnlineState): AgentStep {
  const { phase, connection } = state
  const effects: AgentEffect[] = []
  let { outbox } = state
  const reading = nextReading(outbox, phase.welcome.window)
  if (reading) {
    outbox = { ...outbox, readingFrom: reading.from }
    effects.push({ kind: 'read-events', connection, ...reading })
  }
  const credit = nextCredit(phase.inbox, state.queue)
  const isFirst = phase.inbox.credit === undefined
  if (credit) effects.push(send(state, { type: 'credit', ...credit }))
  if (credit && !isFirst) effects.push({ kind: 'set-timer', timer: 'credit', ...creditPause })
  const inbox = credit ? { ...phase.inbox, credit, mayAnnounce: isFirst } : phase.inbox
  return { state: { ...state, outbox, phase: { ...phase, inbox } }, effects }
}

export function creditTimerFired(state: OnlineState): AgentStep {
  return advanceOnline({ ...state, phase: { ...state.phase, inbox: { ...state.phase.inbox, mayAnnounce: true } } })
}

function receiveOne(state: OnlineState, value: unknown): AgentStep {
  const command = receiveCommand(value)
  if (command === undefined) return closeAgentConnection(state, 'malformed', 'command without kind or id')
  const taken = acceptCommand(state.phase.inbox, state.queue, command)
  if (taken === 'too-much') return closeAgentConnection(state, 'too-much', 'more commands than the agent accepts')
  const { inbox, queue } = taken
  return {
    state: { ...state, queue, phase: { ...state.phase, inbox } },
    effects: [{ kind: 'journal-commands', journalId: state.journal.id, commands: [command] }],
  }
}

function send({ connection }: AgentState, frame: AgentFrame): AgentEffect {
  return { kind: 'send', connection, text: JSON.stringify(frame) }
}

function tickSeconds({ phase }: OnlineState): number {
  // A shorter heartbeat would fill the connection with pings.
  return Math.max(leastHeartbeatSeconds, phase.welcome.heartbeatSeconds) / ticksPerHeartbeat
}

function tickLater(state: OnlineState): AgentEffect {
  const ms = tickSeconds(state) * 1_000
  return { kind: 'set-timer', timer: 'tick', fromMs: ms, toMs: ms }
}

function unchanged(state: AgentState): AgentStep {
  return { state, effects: [] }
}

/** Returns the step with these effects before its own effects. */
function then(step: AgentStep, before: readonly AgentEffect[]): AgentStep {
  return { state: step.state, effects: [...before, ...step.effects] }
}
