import type { AgentFrame, Hello, RelayFrame } from '@smsgw/contract/link/frame'
import { nextRelay } from '../relay/session.ts'
import {
  newConnection,
  type OpenedConnection,
  type RelayEffect,
  type RelayInput,
  type RelayState,
  type RelayStep,
} from '../relay/state.ts'

export const hello: Hello = {
  type: 'hello',
  deviceId: 'device',
  signature: 'AAAA',
  versions: { min: 1, max: 1 },
  agentVersion: '1.0',
  capabilities: [],
  bootId: 'boot',
  journal: { id: 'journal', first: 1, tail: 9, mark: 4 },
  isClockSynchronised: true,
  sims: [],
}

export const opened: OpenedConnection = {
  connEpoch: 7,
  streamId: 'stream',
  mark: 4,
  isRetired: false,
  serverTime: '2026-01-01T00:00:00Z',
  settings: { messages: {} },
}

/** Applies the inputs one after the other. */
export function playRelay(state: RelayState, ...inputs: readonly RelayInput[]): RelayStep {
  return inputs.reduce<RelayStep>(
    (before, input) => {
      const { state: after, effects } = nextRelay(before.state, input)
      return { state: after, effects: [...before.effects, ...effects] }
    },
    { state, effects: [] },
  )
}

/** Passes frames of the agent to the relay. */
export function relayReceives(state: RelayState, ...frames: readonly AgentFrame[]): RelayStep {
  return playRelay(state, ...frames.map((frame): RelayInput => ({ kind: 'received', text: JSON.stringify(frame) })))
}

export function challenged(changes: Partial<RelayState['relay']> = {}): RelayState {
  return playRelay(newConnection({ relayId: 'relay', nonce: 'n'.repeat(16), window: 4, ...changes }), {
    kind: 'opened',
  }).state
}

export function open(changes: Partial<OpenedConnection> = {}): RelayStep {
  const { state } = relayReceives(challenged(), hello)
  return playRelay(state, { kind: 'authenticated' }, { kind: 'connection-opened', opened: { ...opened, ...changes } })
}

/** An open connection. Its agent has granted credit, and no earlier commands have to be sent again. */
export function readyRelay(limit = 4): RelayState {
  const { state } = relayReceives(open().state, { type: 'credit', limit, urgentLimit: limit })
  return playRelay(state, { kind: 'commands-claimed', commands: [] }, { kind: 'commands-claimed', commands: [] }).state
}

export function relayFramesIn(effects: readonly RelayEffect[]): RelayFrame[] {
  return effects.flatMap((effect) => (effect.kind === 'send' ? [JSON.parse(effect.text) as RelayFrame] : []))
}
