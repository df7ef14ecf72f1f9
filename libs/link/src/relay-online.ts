import type { Command } from '@smsgw/contract/link/command'
import type { AgentFrame, EventsFrame, RelayFrame } from '@smsgw/contract/link/frame'
import {
  acknowledged,
  claimed,
  claimFailed,
  grant,
  nextClaim,
  nextCommands,
  tickCommands,
  want,
} from './command-outbox.ts'
import { batchStored, isOverfull, nextBatch, restartFrom, storeFailed, takeEvents } from './event-intake.ts'
import { beat, hearPong, ticksPerHeartbeat } from './heartbeat.ts'
import type { Pause } from './reconnect.ts'
import { finish } from './relay-closing.ts'
import type { Open, RelayEffect, RelayFacts, RelayInput, RelayState, RelayStep } from './relay-state.ts'

/** 30 s. */
const ticksForAcknowledgement = 6
/** Two in a second. The agent accepts ten frames of all kinds in a second. */
const maxSettingsPerTick = 10
/** Before the database is asked again that could not answer. */
const retryPause: Pause = { fromMs: 500, toMs: 1_500 }

export type OpenState = RelayState & { readonly phase: Open }

export function isOpen(state: RelayState): state is OpenState {
  return state.phase.kind === 'open'
}

/** A frame of that length that belongs to a connection that stands; undefined for any other. */
export function converse(state: OpenState, frame: AgentFrame, length: number): RelayStep | undefined {
  const { phase } = state
  switch (frame.type) {
    case 'events':
      return eventsArrived(state, frame, length)
    case 'journaled': {
      const { keys } = frame
      return then(pump(withOutbox(state, acknowledged(phase.outbox, keys))), [{ kind: 'commands-taken', keys }])
    }
    case 'credit':
      return pump(withOutbox(state, grant(phase.outbox, frame.limit, frame.urgentLimit)))
    case 'telemetry':
      return { state, effects: [{ kind: 'take-telemetry', at: frame.at, sample: frame.sample }] }
    case 'waiting':
      return { state, effects: [{ kind: 'take-waiting', report: frame.report }] }
    case 'ping':
      return { state, effects: [send({ type: 'pong', number: frame.number })] }
    case 'pong':
      return unchanged({ ...state, phase: { ...phase, heartbeat: hearPong(phase.heartbeat, frame.number) } })
    default:
      return undefined
  }
}

/** What the store, the host and others say about a connection that stands. */
export function proceed(state: OpenState, input: RelayInput): RelayStep {
  const { outbox, intake } = state.phase
  switch (input.kind) {
    case 'events-stored':
      return then(pump({ ...state, phase: { ...state.phase, intake: batchStored(intake, input.mark) } }), [
        send({ type: 'stored', upto: input.mark }),
      ])
    case 'mark-behind':
      return askAgain(state, input.mark)
    case 'store-failed':
      return retryLater({ ...state, phase: { ...state.phase, intake: storeFailed(intake) } })
    case 'commands-claimed':
      return commandsClaimed(state, input.commands)
    case 'claim-failed':
      return retryLater(withOutbox(state, claimFailed(outbox)))
    case 'wake':
      return pump(withOutbox(state, want(outbox)))
    case 'settings-changed':
      return pushSettings(state, input)
    case 'drain':
      return {
        state: { ...state, phase: { ...state.phase, isDraining: true } },
        effects: [send({ type: 'goaway', reconnectAfterMs: input.reconnectAfterMs })],
      }
    default:
      return unchanged(state)
  }
}

export function retry(state: OpenState): RelayStep {
  const { outbox, intake } = state.phase
  return pump({ ...state, phase: { ...state.phase, outbox: want(outbox), intake: { ...intake, isPaused: false } } })
}

export function tick(state: OpenState): RelayStep {
  const { phase, relay } = state
  const outbox = tickCommands(phase.outbox)
  if (outbox.unacknowledgedTicks >= ticksForAcknowledgement)
    return finish(state, 'timed-out', 'commands are not taken over')
  const { heartbeat, verdict } = beat(phase.heartbeat)
  if (verdict === 'dead') return finish(state, 'timed-out', 'the agent does not answer')
  const ticks = phase.ticks + 1
  const { pending } = phase.settings
  const isLeaseDue = ticks % ticksPerHeartbeat === 0
  const { connEpoch } = phase
  return {
    state: { ...state, phase: { ...phase, outbox, heartbeat, ticks, settings: { sent: 0 } } },
    effects: [
      ...(pending ? [send({ type: 'settings', ...pending })] : []),
      ...(verdict === 'ping' ? [send({ type: 'ping', number: heartbeat.number })] : []),
      ...(isLeaseDue ? [{ kind: 'renew-lease', connEpoch } as const] : []),
      tickLater(relay),
    ],
  }
}

function pushSettings(state: OpenState, change: RelayInput & { kind: 'settings-changed' }): RelayStep {
  const { sent, pending } = state.phase.settings
  const { settings, serverTime = pending?.serverTime } = change
  const isHeld = sent >= maxSettingsPerTick
  const push = isHeld ? { sent, pending: { settings, serverTime } } : { sent: sent + 1 }
  return {
    state: { ...state, phase: { ...state.phase, settings: push } },
    effects: isHeld ? [] : [send({ type: 'settings', settings, serverTime })],
  }
}

export function tickLater({ heartbeatSeconds }: RelayFacts): RelayEffect {
  const ms = (heartbeatSeconds * 1_000) / ticksPerHeartbeat
  return { kind: 'set-timer', timer: 'tick', fromMs: ms, toMs: ms }
}

function eventsArrived(state: OpenState, frame: EventsFrame, length: number): RelayStep {
  const { phase, relay } = state
  const intake = takeEvents(phase.intake, frame, length)
  if (intake === 'gap')
    return finish(state, 'malformed', `event ${frame.from} came before ${phase.intake.received + 1}`)
  if (isOverfull(intake, relay.window)) return finish(state, 'too-much', 'more events than the window allows')
  // Sent again before the acknowledgement was read: told again, or the agent would wait for it.
  const isKnown = intake === phase.intake && !intake.isReplaying
  const again = isKnown ? [send({ type: 'stored', upto: intake.mark })] : []
  return then(pump({ ...state, phase: { ...phase, intake } }), again)
}

/** The store was set back under this connection. */
function askAgain(state: OpenState, mark: number): RelayStep {
  return {
    state: { ...state, phase: { ...state.phase, intake: restartFrom(mark) } },
    effects: [send({ type: 'replay', from: mark + 1 })],
  }
}

function commandsClaimed(state: OpenState, commands: readonly Command[]): RelayStep {
  return pump(withOutbox(state, claimed(state.phase.outbox, commands)))
}

/** Whatever can go on goes on: commands are sent and claimed, events are stored. */
function pump(state: OpenState): RelayStep {
  const { phase } = state
  const { connEpoch, hello } = phase
  const sending = nextCommands(phase.outbox)
  const claim = phase.isDraining ? undefined : nextClaim(sending.outbox)
  const intake = nextBatch(phase.intake)
  const { isResumed } = phase.outbox
  const fence = { connEpoch, journalId: hello.journal.id }
  return {
    state: { ...state, phase: { ...phase, outbox: claim?.outbox ?? sending.outbox, intake } },
    effects: [
      ...sending.texts.map((text): RelayEffect => ({ kind: 'send', text })),
      ...sending.tooLarge.map((command): RelayEffect => ({ kind: 'command-too-large', command })),
      ...(claim ? [{ kind: 'claim-commands', ...fence, isResume: !isResumed, room: claim.room } as const] : []),
      ...(intake.storing && intake !== phase.intake
        ? [{ kind: 'store-events', ...fence, batch: intake.storing } as const]
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

/** What was decided first is done first. */
function then(step: RelayStep, before: readonly RelayEffect[]): RelayStep {
  return { state: step.state, effects: [...before, ...step.effects] }
}
