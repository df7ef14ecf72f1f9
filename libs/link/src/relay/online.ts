import type { AgentFrame, EventsFrame, RelayFrame } from '@smsgw/contract/link/frame'
import {
  acknowledged,
  claimed,
  claimFailed,
  grant,
  nextClaim,
  nextCommands,
  requestClaim,
  tickCommands,
} from '../commands/command-outbox.ts'
import { pongReceived, tickHeartbeat, ticksPerHeartbeat } from '../connection/heartbeat.ts'
import type { PauseRange } from '../connection/timers.ts'
import {
  acceptEvents,
  batchStored,
  type FrameFacts,
  isOverfull,
  nextBatch,
  release,
  restartFrom,
  storeFailed,
} from '../events/event-inbox.ts'
import { closeRelayConnection } from './closing.ts'
import type { Open, RelayEffect, RelayFacts, RelayInput, RelayState, RelayStep } from './state.ts'

/** 30 s */
const ticksForAcknowledgement = 6
/** The limit of settings frames: two per second. The agent accepts ten frames of all types per second. */
const maxSettingsPerTick = 10
/** Pause before a failed transaction is repeated. */
const retryPause: PauseRange = { fromMs: 500, toMs: 1_500 }

export type OpenState = RelayState & { readonly phase: Open }

export function isRelayOpen(state: RelayState): state is OpenState {
  return state.phase.kind === 'open'
}

/** Returns undefined for a frame that is not expected on an open connection. `length`: characters of the frame. */
export function handleAgentFrame(state: OpenState, frame: AgentFrame, length: number): RelayStep | undefined {
  const { phase } = state
  switch (frame.type) {
    case 'events':
      return eventsArrived(state, frame, { length, areValid: false })
    case 'journaled': {
      const { keys } = frame
      return then(advance(withOutbox(state, acknowledged(phase.outbox, keys))), [{ kind: 'commands-taken', keys }])
    }
    case 'credit':
      return advance(withOutbox(state, grant(phase.outbox, frame.limit, frame.urgentLimit)))
    case 'telemetry':
      return { state, effects: [{ kind: 'take-telemetry', at: frame.at, sample: frame.sample }] }
    case 'waiting':
      return { state, effects: [{ kind: 'take-waiting', report: frame.report }] }
    case 'ping':
      return { state, effects: [send({ type: 'pong', number: frame.number })] }
    case 'pong':
      return unchanged({ ...state, phase: { ...phase, heartbeat: pongReceived(phase.heartbeat, frame.number) } })
    default:
      return undefined
  }
}

/** Inputs for an open connection other than frames. */
export function proceed(state: OpenState, input: RelayInput): RelayStep {
  const { outbox, inbox } = state.phase
  switch (input.kind) {
    case 'events-stored':
      return eventsStored(state, input)
    case 'mark-behind':
      return requestReplay(state, input.mark)
    case 'store-failed':
      return retryLater({ ...state, phase: { ...state.phase, inbox: storeFailed(inbox) } })
    case 'commands-claimed':
      return commandsClaimed(state, input)
    case 'claim-failed':
      return retryLater(withOutbox(state, claimFailed(outbox)))
    case 'wake':
      return advance(withOutbox(state, requestClaim(outbox, input.due ?? 'any')))
    case 'claim-along':
      return claimAlong(state, input)
    case 'settings-changed':
      return pushSettings(state, input)
    case 'drain':
      // Commands are still claimed: a command that does not reach the agent before it leaves is sent when it resumes.
      return { state, effects: [send({ type: 'goaway', reconnectAfterMs: input.reconnectAfterMs })] }
    default:
      return unchanged(state)
  }
}

export function retry(state: OpenState): RelayStep {
  const { outbox, inbox } = state.phase
  return advance({
    ...state,
    phase: { ...state.phase, outbox: requestClaim(outbox, 'any'), inbox: { ...inbox, isPaused: false } },
  })
}

/** Stores the events that had to wait after the previous batch. */
export function storeHeld(state: OpenState): RelayStep {
  return advance({ ...state, phase: { ...state.phase, inbox: release(state.phase.inbox) } })
}

export function tickRelay(state: OpenState): RelayStep {
  const { phase, relay } = state
  const outbox = tickCommands(phase.outbox)
  if (outbox.unacknowledgedTicks >= ticksForAcknowledgement)
    return closeRelayConnection(state, 'timed-out', 'the agent does not acknowledge commands')
  const { heartbeat, verdict } = tickHeartbeat(phase.heartbeat)
  if (verdict === 'dead') return closeRelayConnection(state, 'timed-out', 'no answer from the agent')
  const ticks = phase.ticks + 1
  const { pending } = phase.settings
  const isLeaseDue = ticks % ticksPerHeartbeat === 0
  const { connEpoch } = phase
  return then(advance({ ...state, phase: { ...phase, outbox, heartbeat, ticks, settings: { sent: 0 } } }), [
    ...(pending ? [send({ type: 'settings', settings: pending })] : []),
    ...(verdict === 'ping' ? [send({ type: 'ping', number: heartbeat.number })] : []),
    ...(isLeaseDue ? [{ kind: 'renew-lease', connEpoch } as const] : []),
    tickLater(relay),
  ])
}

function pushSettings(state: OpenState, change: RelayInput & { kind: 'settings-changed' }): RelayStep {
  const { sent } = state.phase.settings
  const { settings, serverTime } = change
  // Sends settings with a server time at once, because at the next tick the time would be wrong.
  const isHeld = sent >= maxSettingsPerTick && serverTime === undefined
  const push = isHeld ? { sent, pending: settings } : { sent: sent + 1 }
  return {
    state: { ...state, phase: { ...state.phase, settings: push } },
    effects: isHeld ? [] : [send({ type: 'settings', settings, serverTime })],
  }
}

export function tickLater({ heartbeatSeconds }: RelayFacts): RelayEffect {
  const ms = (heartbeatSeconds * 1_000) / ticksPerHeartbeat
  return { kind: 'set-timer', timer: 'tick', fromMs: ms, toMs: ms }
}

/** `facts`: the characters of the frame, and whether its events were checked. */
export function eventsArrived(state: OpenState, frame: EventsFrame, facts: FrameFacts): RelayStep {
  const { phase, relay } = state
  const inbox = acceptEvents(phase.inbox, frame, facts)
  if (inbox === 'gap')
    return closeRelayConnection(
      state,
      'malformed',
      `event ${frame.from} arrived, but event ${phase.inbox.received + 1} was expected`,
    )
  if (isOverfull(inbox, relay.window))
    return closeRelayConnection(state, 'too-much', 'more events than the window allows')
  // If the agent repeats events that are already stored, its acknowledgement may have been lost. So the acknowledgement
  // is repeated too.
  const isKnown = inbox === phase.inbox && !inbox.isReplaying
  const again = isKnown ? [send({ type: 'stored', upto: inbox.mark })] : []
  return then(advance({ ...state, phase: { ...phase, inbox } }), again)
}

function eventsStored(state: OpenState, { mark, pauseMs }: RelayInput & { kind: 'events-stored' }): RelayStep {
  const isHeld = pauseMs > 0
  const inbox = batchStored(state.phase.inbox, mark, isHeld)
  return then(advance({ ...state, phase: { ...state.phase, inbox } }), [
    send({ type: 'stored', upto: mark }),
    ...(isHeld ? [{ kind: 'set-timer', timer: 'store', fromMs: pauseMs, toMs: pauseMs } as const] : []),
  ])
}

/** The database was restored from a backup during this connection. */
function requestReplay(state: OpenState, mark: number): RelayStep {
  return {
    state: { ...state, phase: { ...state.phase, inbox: restartFrom(mark) } },
    effects: [send({ type: 'replay', from: mark + 1 })],
  }
}

/** A resume does not claim new commands, so it cannot be replaced by this claim. */
function claimAlong(state: OpenState, { due }: RelayInput & { kind: 'claim-along' }): RelayStep {
  const { outbox } = state.phase
  const claim = outbox.isResumed ? nextClaim(requestClaim(outbox, due ?? 'any')) : undefined
  if (claim === undefined) return unchanged(state)
  return { state: withOutbox(state, claim.outbox), effects: [{ kind: 'claim-along', room: claim.room }] }
}

function commandsClaimed(state: OpenState, { commands, areAll }: RelayInput & { kind: 'commands-claimed' }): RelayStep {
  return advance(withOutbox(state, claimed(state.phase.outbox, commands, areAll)))
}

/** Claims and sends as many commands as possible. Also stores as many events as possible. */
function advance(state: OpenState): RelayStep {
  const { phase } = state
  const { connEpoch, hello } = phase
  const sending = nextCommands(phase.outbox)
  const claim = nextClaim(sending.outbox)
  const inbox = nextBatch(phase.inbox)
  const { isResumed } = phase.outbox
  const fence = { connEpoch, journalId: hello.journal.id }
  return {
    state: { ...state, phase: { ...phase, outbox: claim?.outbox ?? sending.outbox, inbox } },
    effects: [
      ...sending.texts.map((text): RelayEffect => ({ kind: 'send', text })),
      ...sending.tooLarge.map((command): RelayEffect => ({ kind: 'command-too-large', command })),
      ...(claim ? [{ kind: 'claim-commands', ...fence, isResume: !isResumed, room: claim.room } as const] : []),
      ...(inbox.storing && inbox !== phase.inbox
        ? [{ kind: 'store-events', ...fence, batch: inbox.storing } as const]
        : []),
    ],
  }
}

function retryLater(state: OpenState): RelayStep {
  return { state, effects: [{ kind: 'set-timer', timer: 'retry', ...retryPause }] }
}

function withOutbox(state: OpenState, outbox: Open['outbox']): OpenState {
  return { ...state, phase: { ...state.phase, outbox } }
}

function send(frame: RelayFrame): RelayEffect {
  return { kind: 'send', text: JSON.stringify(frame) }
}

function unchanged(state: RelayState): RelayStep {
  return { state, effects: [] }
}

/** Returns the step with these effects before its own effects. */
function then(step: RelayStep, before: readonly RelayEffect[]): RelayStep {
  return { state: step.state, effects: [...before, ...step.effects] }
}
