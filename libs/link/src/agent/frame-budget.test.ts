import type { RelayFrame } from '@smsgw/contract/link/frame'
import { expect, test } from 'vitest'
import {
  agentFramesIn,
  agentReceives,
  challengeFrame,
  online,
  pairedAgent,
  playAgent,
  welcomeFrame,
} from '../testing/agent-script.ts'
import type { AgentEffect, AgentInput, AgentState } from './state.ts'

/** Endless frames of each kind, as a hostile relay would send them. */
const floods: Readonly<Record<RelayFrame['type'], (at: number, state: AgentState) => RelayFrame>> = {
  challenge: () => challengeFrame,
  pending: () => ({ type: 'pending' }),
  paired: () => ({ type: 'paired', deviceId: 'device' }),
  welcome: () => welcomeFrame,
  stored: () => ({ type: 'stored', upto: 3 }),
  replay: (at) => ({ type: 'replay', from: 1 + (at % 3) }),
  command: (at) => ({ type: 'command', command: { kind: 'cancel', cmdId: String(at) } }),
  settings: (at) => ({ type: 'settings', settings: { ping: { interval_seconds: 30 + (at % 2) } } }),
  goaway: (at) => ({ type: 'goaway', reconnectAfterMs: 1_000 + at }),
  ping: (number) => ({ type: 'ping', number }),
  pong: (number) => ({ type: 'pong', number }),
}

/** Sends 100 000 frames within one second, so that no tick passes. The journal answers at once. */
function flood(frameAt: (at: number, state: AgentState) => object): { state: AgentState; effects: AgentEffect[] } {
  let { state } = online()
  const all: AgentEffect[] = []
  for (let at = 0; at < 100_000 && state.phase.kind === 'online'; at += 1) {
    const text = JSON.stringify(frameAt(at, state))
    const { state: after, effects } = playAgent(state, { kind: 'received', connection: state.connection, text })
    all.push(...effects)
    state = playAgent(after, ...effects.flatMap((effect) => answersTo(effect, after))).state
  }
  return { state, effects: all }
}

function answersTo(effect: AgentEffect, { connection }: AgentState): AgentInput[] {
  if (effect.kind === 'read-events') {
    return [{ kind: 'events-read', connection, from: effect.from, events: [{ text: '{}', tag: 't' }] }]
  }
  if (effect.kind !== 'journal-commands') return []
  const keys = effect.commands.map((each) =>
    'command' in each ? `${each.command.kind}:${each.command.cmdId}` : each.key,
  )
  return [{ kind: 'commands-journaled', keys, open: 0 }]
}

const worked = (effects: readonly AgentEffect[], kind: AgentEffect['kind']) =>
  effects.filter((effect) => effect.kind === kind).length

test.each(Object.entries(floods))(
  'the agent ends a connection on which the relay sends a flood of %s frames',
  (_, frameAt) => {
    const { state, effects } = flood(frameAt)
    expect(state.phase.kind).toBe('waiting')
    expect(effects.length).toBeLessThan(4_100)
    for (const kind of ['apply-settings', 'journal-commands', 'send', 'read-events', 'record-mark'] as const) {
      expect(worked(effects, kind)).toBeLessThanOrEqual(1_000)
    }
  },
)

test('ends a connection on which the relay sends a flood of frames of an unknown type', () => {
  const { state } = flood((at) => ({ type: 'news', at }))
  expect(state.phase.kind).toBe('waiting')
})

test('accepts only a few replays, because each reads the events again', () => {
  expect(worked(flood(floods.replay).effects, 'read-events')).toBeLessThanOrEqual(20)
})

test('ends a connection that repeats known sends, although each repeated send frees capacity for the next', () => {
  const { state, effects } = flood(() => ({ type: 'command', command: { kind: 'send', cmdId: 'again' } }))
  expect(state.phase.kind).toBe('waiting')
  expect(worked(effects, 'journal-commands')).toBeLessThanOrEqual(1_100)
})

test('ends a connection that endlessly sends settings before the welcome', () => {
  let state = playAgent(pairedAgent, { kind: 'start' }, { kind: 'opened', connection: 1 }).state
  for (let at = 0; at < 1_001; at += 1) {
    state = agentReceives(state, floods.settings(at, state)).state
  }
  expect(state.phase.kind).toBe('waiting')
})

test('accepts ten frames a second during the whole connection, with any heartbeat', () => {
  for (const heartbeatSeconds of [1, 20]) {
    let { state } = online(pairedAgent, { heartbeatSeconds })
    const frames = 10 * (heartbeatSeconds / 4)
    for (let tick = 0; tick < 2_000; tick += 1) {
      for (let at = 0; at < Math.floor(frames); at += 1) {
        state = agentReceives(state, floods.settings(at, state)).state
      }
      const { phase } = state
      const ping =
        phase.kind === 'online' && phase.heartbeat.unanswered !== undefined ? phase.heartbeat.number : undefined
      if (ping !== undefined) state = agentReceives(state, { type: 'pong', number: ping }).state
      state = playAgent(state, { kind: 'timer', timer: 'tick' }).state
    }
    expect(state.phase.kind).toBe('online')
  }
})

test('does not count frames that the agent causes: stored events, answers to pings, sends within the credit', () => {
  let { state } = online({ ...pairedAgent, outbox: { ...pairedAgent.outbox, tail: 9_000 } }, { window: 65_000 })
  const { budget } = state
  for (let seq = 4; seq < 5_000; seq += 1) {
    const read = { kind: 'events-read', connection: 1, from: seq, events: [{ text: '{}', tag: 't' }] } as const
    const sent = playAgent(state, read)
    expect(agentFramesIn(sent.effects)).toMatchObject([{ type: 'events' }])
    const command = { type: 'command' as const, command: { kind: 'send', cmdId: String(seq) } }
    state = agentReceives(sent.state, { type: 'stored', upto: seq }, command).state
    state = playAgent(
      state,
      { kind: 'commands-journaled', keys: [`send:${seq}`], open: 0 },
      { kind: 'timer', timer: 'credit' },
    ).state
  }
  expect(state.phase.kind).toBe('online')
  expect(state.budget).toEqual(budget)
})
