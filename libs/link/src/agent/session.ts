import type { RelayFrame } from '@smsgw/contract/link/frame'
import { commandsOnDisk } from '../commands/command-inbox.ts'
import { readRelayFrame } from '../connection/frame-text.ts'
import { frameReceived } from '../connection/heartbeat.ts'
import { openOutbox, prune } from '../events/event-outbox.ts'
import {
  answerPending,
  closeAgentConnection,
  connectAgent,
  connectionClosed,
  connectionReached,
  handshakeTimedOut,
  hasSocket,
  reconnectLater,
  relayUnreachable,
  stop,
} from './connecting.ts'
import { noDuplicate } from './duplicate-identity.ts'
import { pay } from './frame-budget.ts'
import { handleRelayHandshake, identityStored, signed, tagCompared } from './handshake.ts'
import {
  advanceOnline,
  confirmJournaled,
  creditTimerFired,
  eventsRead,
  handleRelayFrame,
  isOnline,
  tickAgent,
} from './online.ts'
import type { AgentEffect, AgentInput, AgentState, AgentStep, AgentTimer } from './state.ts'

/**
 * The agent's end of the link. This end keeps one connection to the relay while the process runs.
 *
 *   idle → connecting → awaiting-challenge → signing → awaiting-welcome → comparing-tag → online
 *            ↑                  (pairing → storing-identity → signing, once)                │
 *            └── waiting ◄── when the connection ends ◄─────────────────────────────────────┘
 *   awaiting-welcome, comparing-tag → replacing-journal → waiting     the journal is an old copy
 *   → stopped                                                         revoked or duplicate identity: needs a person
 *
 * The guarantees of this end, if the journal carries out all effects:
 *   an event is kept until the relay has stored it on disk;
 *   a command is acknowledged when it is on the agent's disk, and a command of an old copy is never sent.
 */
export function nextAgent(state: AgentState, input: AgentInput): AgentStep {
  if ('connection' in input && (input.connection !== state.connection || !hasSocket(state))) return unchanged(state)
  switch (input.kind) {
    case 'start':
      return start(state)
    case 'stop':
      return stop(state)
    case 'reached':
      return unchanged(connectionReached(state))
    case 'opened':
      return unchanged(
        state.phase.kind === 'connecting'
          ? { ...state, phase: { kind: 'awaiting-challenge', ...(state.phase.isLate && { isLate: true }) } }
          : state,
      )
    case 'received':
      return receive(state, input.text)
    case 'closed':
      return connectionClosed(state, input.code, input.reason)
    case 'unreachable':
      return relayUnreachable(state, input)
    case 'timer':
      return timerFired(state, input.timer)
    case 'signed':
      return signed(state, input.signature)
    case 'tag-compared':
      return tagCompared(state, input.isSame)
    case 'events-read':
      return isOnline(state) ? eventsRead(state, input.from, input.events) : unchanged(state)
    default:
      return changed(state, input)
  }
}

/** Inputs that do not depend on a connection. */
function changed(state: AgentState, input: Exclude<AgentInput, { readonly connection: number }>): AgentStep {
  const { outbox } = state
  switch (input.kind) {
    case 'events-appended':
      if (input.journalId !== state.journal.id) return unchanged(state)
      return advanceIfOnline({ ...state, outbox: { ...outbox, tail: Math.max(outbox.tail, input.tail) } })
    case 'events-pruned':
      if (input.journalId !== state.journal.id) return unchanged(state)
      return advanceIfOnline({ ...state, outbox: prune(outbox, input.first) })
    case 'commands-journaled': {
      const known = { ...state, queue: commandsOnDisk(state.queue, input.keys, input.open) }
      return isOnline(known) ? confirmJournaled(known, input.keys) : unchanged(known)
    }
    case 'queue-changed':
      return advanceIfOnline({ ...state, queue: { ...state.queue, ...input.queue } })
    case 'facts-changed':
      return unchanged({ ...state, agent: { ...state.agent, ...input.facts } })
    case 'journal-replaced':
      return renewed(state, input)
    case 'identity-stored':
      return identityStored({ ...state, identity: { deviceId: input.deviceId } })
    case 'telemetry':
      if (!isOnline(state)) return unchanged(state)
      return {
        state,
        effects: [send(state, JSON.stringify({ type: 'telemetry', at: input.at, sample: input.sample }))],
      }
    case 'waiting':
      if (!isOnline(state)) return unchanged(state)
      return { state, effects: [send(state, JSON.stringify({ type: 'waiting', report: input.report }))] }
    default:
      return unchanged(state)
  }
}

/** Starts the link. Also called after a person has removed the cause of a stop. */
function start(state: AgentState): AgentStep {
  if (state.phase.kind !== 'idle' && state.phase.kind !== 'stopped') return unchanged(state)
  return connectAgent({ ...state, attempts: 0, unreachable: 0, stalled: 0, duplicate: noDuplicate })
}

function receive(before: AgentState, text: string): AgentStep {
  const state = frameSeen(before)
  const reading = readRelayFrame(text)
  if (reading.kind === 'refused') return closeAgentConnection(state, reading.why, reading.reason)
  const frame = reading.kind === 'frame' ? reading.frame : undefined
  const budget = pay(state.budget, frame, { mark: state.outbox.mark, ...(isOnline(state) && state.phase) })
  if (budget === undefined)
    return closeAgentConnection(state, 'too-much', `too many frames, the last one ${frame?.type ?? 'unknown'}`)
  const paid = { ...state, budget }
  return frame === undefined ? unchanged(paid) : take(paid, frame)
}

function take(state: AgentState, frame: RelayFrame): AgentStep {
  return (
    atAnyTime(state, frame) ??
    (isOnline(state) ? handleRelayFrame(state, frame) : handleRelayHandshake(state, frame)) ??
    closeAgentConnection(state, 'malformed', `${frame.type} while ${state.phase.kind}`)
  )
}

function atAnyTime(state: AgentState, frame: RelayFrame): AgentStep | undefined {
  switch (frame.type) {
    case 'ping':
      return { state, effects: [send(state, JSON.stringify({ type: 'pong', number: frame.number }))] }
    case 'settings':
      return { state, effects: [{ kind: 'apply-settings', settings: frame.settings, serverTime: frame.serverTime }] }
    case 'pending':
      return answerPending(state)
    case 'goaway': {
      const ms = frame.reconnectAfterMs
      return { state, effects: [{ kind: 'set-timer', timer: 'leave', fromMs: ms, toMs: ms }] }
    }
    default:
      return undefined
  }
}

function timerFired(state: AgentState, timer: AgentTimer): AgentStep {
  switch (timer) {
    case 'reconnect':
      return state.phase.kind === 'waiting' ? connectAgent(state) : unchanged(state)
    case 'handshake':
      if (!hasSocket(state) || isOnline(state)) return unchanged(state)
      return handshakeTimedOut(state)
    case 'tick':
      return isOnline(state) ? tickAgent(state) : unchanged(state)
    case 'credit':
      return isOnline(state) ? creditTimerFired(state) : unchanged(state)
    case 'leave':
      return hasSocket(state)
        ? closeAgentConnection(state, 'goodbye', 'the relay asked to reconnect')
        : unchanged(state)
  }
}

/** Drops the commands that were received for the old journal, because the agent has not acknowledged them. */
function renewed(state: AgentState, { journal, marks, open }: AgentInput & { kind: 'journal-replaced' }): AgentStep {
  const queue = { ...state.queue, open, journaling: [] }
  const next = { ...state, journal, queue, outbox: openOutbox(marks) }
  return state.phase.kind === 'replacing-journal' ? reconnectLater(next, 'soon') : unchanged(next)
}

function advanceIfOnline(state: AgentState): AgentStep {
  return isOnline(state) ? advanceOnline(state) : unchanged(state)
}

function frameSeen(state: AgentState): AgentState {
  return isOnline(state)
    ? { ...state, phase: { ...state.phase, heartbeat: frameReceived(state.phase.heartbeat) } }
    : state
}

function send({ connection }: AgentState, text: string): AgentEffect {
  return { kind: 'send', connection, text }
}

function unchanged(state: AgentState): AgentStep {
  return { state, effects: [] }
}
