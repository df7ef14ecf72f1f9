import type { RelayFrame } from '@smsgw/contract/link/frame'
import { connect, hasSocket, leave, lose, reconnectLater, stop } from './agent-connecting.ts'
import { greet, identityKept, signed, tagCompared } from './agent-handshake.ts'
import { converse, creditRested, eventsRead, isOnline, pump, tellJournaled, tick } from './agent-online.ts'
import type { AgentEffect, AgentInput, AgentState, AgentStep, AgentTimer } from './agent-state.ts'
import { noSightings } from './clones.ts'
import { commandsOnDisk } from './command-intake.ts'
import { openOutbox, prune } from './event-outbox.ts'
import { pay } from './frame-budget.ts'
import { readRelayFrame } from './frame-text.ts'
import { hear } from './heartbeat.ts'

/**
 * The agent's end of the link: it keeps one connection to its relay, for as long as the process lives.
 *
 *   idle → connecting → greeting → signing → introduced → comparing → online
 *            ↑              (pairing → keeping-identity → signing, once)  │
 *            └── waiting ◄── whenever the connection ends ◄──────────────┘
 *   introduced, comparing → renouncing → waiting      the journal is an old copy
 *   → stopped                                         revoked, cloned: a person has to look
 *
 * What it promises, together with a journal that does as its effects say:
 *   events are acknowledged to nobody and forgotten by nobody before the relay has them on disk;
 *   commands are acknowledged when they are on disk here, and those of an old copy are never begun.
 */
export function nextAgent(state: AgentState, input: AgentInput): AgentStep {
  if ('connection' in input && (input.connection !== state.connection || !hasSocket(state))) return unchanged(state)
  switch (input.kind) {
    case 'start':
      return start(state)
    case 'stop':
      return stop(state)
    case 'opened':
      return unchanged(state.phase.kind === 'connecting' ? { ...state, phase: { kind: 'greeting' } } : state)
    case 'received':
      return receive(state, input.text)
    case 'closed':
      return lose(state, input.code, input.reason)
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

/** What happens at this end whether there is a connection or not. */
function changed(state: AgentState, input: Exclude<AgentInput, { readonly connection: number }>): AgentStep {
  const { outbox } = state
  switch (input.kind) {
    case 'events-appended':
      if (input.journalId !== state.journal.id) return unchanged(state)
      return pumped({ ...state, outbox: { ...outbox, tail: Math.max(outbox.tail, input.tail) } })
    case 'events-pruned':
      if (input.journalId !== state.journal.id) return unchanged(state)
      return pumped({ ...state, outbox: prune(outbox, input.first) })
    case 'commands-journaled': {
      const known = { ...state, queue: commandsOnDisk(state.queue, input.keys, input.open) }
      return isOnline(known) ? tellJournaled(known, input.keys) : unchanged(known)
    }
    case 'queue-changed':
      return pumped({ ...state, queue: { ...state.queue, ...input.queue } })
    case 'facts-changed':
      return unchanged({ ...state, agent: { ...state.agent, ...input.facts } })
    case 'journal-renewed':
      return renewed(state, input)
    case 'identity-kept':
      return identityKept({ ...state, identity: { deviceId: input.deviceId } })
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

/** Whoever starts it again has looked at why it stopped. */
function start(state: AgentState): AgentStep {
  if (state.phase.kind !== 'idle' && state.phase.kind !== 'stopped') return unchanged(state)
  return connect({ ...state, attempts: 0, sightings: noSightings })
}

function receive(before: AgentState, text: string): AgentStep {
  const state = heard(before)
  const reading = readRelayFrame(text)
  if (reading.kind === 'refused') return leave(state, reading.why, reading.reason)
  const frame = reading.kind === 'frame' ? reading.frame : undefined
  const budget = pay(state.budget, frame, { mark: state.outbox.mark, ...(isOnline(state) && state.phase) })
  if (budget === undefined) return leave(state, 'too-much', `too many frames, the last one ${frame?.type ?? 'unknown'}`)
  const paid = { ...state, budget }
  return frame === undefined ? unchanged(paid) : take(paid, frame)
}

function take(state: AgentState, frame: RelayFrame): AgentStep {
  return (
    atAnyTime(state, frame) ??
    (isOnline(state) ? converse(state, frame) : greet(state, frame)) ??
    leave(state, 'malformed', `${frame.type} while ${state.phase.kind}`)
  )
}

function atAnyTime(state: AgentState, frame: RelayFrame): AgentStep | undefined {
  switch (frame.type) {
    case 'ping':
      return { state, effects: [send(state, JSON.stringify({ type: 'pong', number: frame.number }))] }
    case 'settings':
      return { state, effects: [{ kind: 'apply-settings', settings: frame.settings, serverTime: frame.serverTime }] }
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
      return state.phase.kind === 'waiting' ? connect(state) : unchanged(state)
    case 'handshake':
      if (!hasSocket(state) || isOnline(state)) return unchanged(state)
      return leave(state, 'timed-out', `still ${state.phase.kind}`)
    case 'tick':
      return isOnline(state) ? tick(state) : unchanged(state)
    case 'credit':
      return isOnline(state) ? creditRested(state) : unchanged(state)
    case 'leave':
      return hasSocket(state) ? leave(state, 'goodbye', 'asked to go away') : unchanged(state)
  }
}

/** What the old journal was still being given is dropped: it was never acknowledged. */
function renewed(state: AgentState, { journal, marks, open }: AgentInput & { kind: 'journal-renewed' }): AgentStep {
  const queue = { ...state.queue, open, journaling: [] }
  const next = { ...state, journal, queue, outbox: openOutbox(marks) }
  return state.phase.kind === 'renouncing' ? reconnectLater(next, 'soon') : unchanged(next)
}

function pumped(state: AgentState): AgentStep {
  return isOnline(state) ? pump(state) : unchanged(state)
}

function heard(state: AgentState): AgentState {
  return isOnline(state) ? { ...state, phase: { ...state.phase, heartbeat: hear(state.phase.heartbeat) } } : state
}

function send({ connection }: AgentState, text: string): AgentEffect {
  return { kind: 'send', connection, text }
}

function unchanged(state: AgentState): AgentStep {
  return { state, effects: [] }
}
