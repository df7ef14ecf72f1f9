import type { AgentFrame, RelayFrame, Welcome } from '@smsgw/contract/link/frame'
import { nextAgent } from '../agent/session.ts'
import { type AgentEffect, type AgentInput, type AgentState, type AgentStep, newAgent } from '../agent/state.ts'

export const unpaired = newAgent({
  agent: {
    bootId: 'boot',
    agentVersion: '1.0',
    capabilities: ['encrypted-data'],
    publicKey: 'k'.repeat(44),
    name: 'attic',
    isClockSynchronised: true,
    sims: [],
  },
  identity: { credential: 'CODE' },
  journal: { id: 'journal', streamId: 'stream' },
  marks: { first: 1, tail: 5, mark: 3 },
  queue: { open: 0, capacity: 4, urgent: 2 },
})

export const pairedAgent: AgentState = { ...unpaired, identity: { deviceId: 'device' } }

export const welcomeFrame: Welcome = {
  type: 'welcome',
  version: 1,
  connEpoch: 7,
  streamId: 'stream',
  mark: 3,
  isRetired: false,
  window: 10,
  heartbeatSeconds: 20,
  serverTime: '2026-01-01T00:00:00Z',
  settings: { messages: {} },
}

export const challengeFrame: RelayFrame & { readonly type: 'challenge' } = {
  type: 'challenge',
  nonce: 'n'.repeat(16),
  relayId: 'relay',
  versions: { min: 1, max: 1 },
}

/** Applies the inputs one after the other. */
export function playAgent(state: AgentState, ...inputs: readonly AgentInput[]): AgentStep {
  return inputs.reduce<AgentStep>(
    (before, input) => {
      const { state: after, effects } = nextAgent(before.state, input)
      return { state: after, effects: [...before.effects, ...effects] }
    },
    { state, effects: [] },
  )
}

/** Passes frames of the relay to the agent, on the current connection. */
export function agentReceives(state: AgentState, ...frames: readonly RelayFrame[]): AgentStep {
  const { connection } = state
  return playAgent(
    state,
    ...frames.map((frame): AgentInput => ({ kind: 'received', connection, text: JSON.stringify(frame) })),
  )
}

/** Connects, and answers the challenge of the relay. */
export function greeted(state: AgentState = pairedAgent): AgentStep {
  const { state: connecting } = playAgent(state, { kind: 'start' }, { kind: 'timer', timer: 'reconnect' })
  const { connection } = connecting
  const { state: greeting } = playAgent(connecting, { kind: 'opened', connection })
  return playAgent(agentReceives(greeting, challengeFrame).state, { kind: 'signed', connection, signature: 'AAAA' })
}

export function online(state: AgentState = pairedAgent, changes: Partial<Welcome> = {}): AgentStep {
  return agentReceives(greeted(state).state, { ...welcomeFrame, ...changes })
}

export function agentFramesIn(effects: readonly AgentEffect[]): AgentFrame[] {
  return effects.flatMap((effect) => (effect.kind === 'send' ? [JSON.parse(effect.text) as AgentFrame] : []))
}

export function kindsOf(effects: readonly { readonly kind: string }[]): string[] {
  return effects.map(({ kind }) => kind)
}
