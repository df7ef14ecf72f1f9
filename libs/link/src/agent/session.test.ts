import { closeCodes } from '@smsgw/contract/link/close-code'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signedText } from '../connection/signed-text.ts'
import {
  agentFramesIn,
  agentReceives,
  challengeFrame,
  greeted,
  kindsOf,
  online,
  pairedAgent,
  playAgent,
  unpaired,
  welcomeFrame,
} from '../testing/agent-script.ts'
import type { AgentInput, AgentState } from './state.ts'

const closed = (state: AgentState, code: number): AgentInput => ({
  kind: 'closed',
  connection: state.connection,
  code,
  reason: '',
})
const closeIn = (effects: readonly object[]) => effects.find((effect) => 'kind' in effect && effect.kind === 'close')

/** A slow disk of the agent does not end the connection. */
const patience = { kind: 'set-timer', timer: 'handshake', fromMs: 45_000, toMs: 45_000 }

test('an unpaired agent pairs, stores its identity, and sends hello on the same connection', () => {
  const pairing = greeted(unpaired)
  expect(agentFramesIn(pairing.effects)).toMatchObject([{ type: 'pair', credential: 'CODE', name: 'attic' }])
  const { state, effects } = agentReceives(pairing.state, { type: 'paired', deviceId: 'device' })
  expect(effects).toEqual([patience, { kind: 'store-identity', deviceId: 'device' }])
  const kept = playAgent(state, { kind: 'identity-stored', deviceId: 'device' })
  const hello = { purpose: 'hello', relayId: 'relay', nonce: 'n'.repeat(16) } as const
  const text = signedText({ ...hello, deviceId: 'device', journalId: 'journal', bootId: 'boot' })
  expect(kept.effects).toEqual([{ kind: 'sign', connection: 1, text }])
  const said = playAgent(kept.state, { kind: 'signed', connection: 1, signature: 'AAAA' })
  expect(agentFramesIn(said.effects)).toMatchObject([
    { type: 'hello', deviceId: 'device', capabilities: ['encrypted-data'], journal: { tail: 5, mark: 3 } },
  ])
})

test('uses an identity on the next connection if it was stored after the connection was lost', () => {
  const { state } = agentReceives(greeted(unpaired).state, { type: 'paired', deviceId: 'device' })
  const kept = playAgent(state, closed(state, 1006), { kind: 'identity-stored', deviceId: 'device' })
  expect(agentFramesIn(greeted(kept.state).effects)).toMatchObject([{ type: 'hello', deviceId: 'device' }])
})

test('after the welcome, sends the events after the mark of the relay and grants credit', () => {
  const { state, effects } = online()
  expect(kindsOf(effects)).toEqual([
    'cancel-timer',
    'set-timer',
    'record-mark',
    'apply-settings',
    'connected',
    'read-events',
    'send',
  ])
  expect(effects).toContainEqual(expect.objectContaining({ kind: 'read-events', from: 4, most: 2 }))
  expect(agentFramesIn(effects)).toEqual([{ type: 'credit', limit: 4, urgentLimit: 6 }])
  const read = playAgent(state, {
    kind: 'events-read',
    connection: 1,
    from: 4,
    events: [{ text: '{"kind":"x"}', tag: 't4' }],
  })
  expect(agentFramesIn(read.effects)).toEqual([{ type: 'events', from: 4, tag: 't4', events: [{ kind: 'x' }] }])
  expect(read.effects).toContainEqual(expect.objectContaining({ kind: 'read-events', from: 5 }))
})

test.each([
  ['the relay has more events of it', { mark: 6 }],
  ['the device uses a newer journal now', { isRetired: true }],
])('replaces the journal when %s, and does not connect', (_, changes) => {
  const { state, effects } = online(pairedAgent, changes)
  expect(kindsOf(effects)).not.toContain('connected')
  expect(closeIn(effects)).toMatchObject({ code: closeCodes['old-copy'].code })
  expect(effects.at(-1)).toEqual({ kind: 'replace-journal', journalId: 'journal', provenMark: 3 })
  const renewed = playAgent(state, {
    kind: 'journal-replaced',
    journal: { id: 'new', replaces: 'journal' },
    marks: { first: 1, tail: 2, mark: 0 },
    open: 0,
  })
  expect(renewed.state.phase.kind).toBe('waiting')
  const [hello] = agentFramesIn(greeted(renewed.state).effects)
  expect(hello).toMatchObject({ journal: { id: 'new', tail: 2, mark: 0, replaces: 'journal' } })
})

test('detects an old copy by the tag of the event at the mark of the relay', () => {
  const { state, effects } = online(pairedAgent, { markTag: 't3' })
  expect(effects).toEqual([patience, { kind: 'compare-tag', connection: 1, seq: 3, tag: 't3' }])
  expect(kindsOf(playAgent(state, { kind: 'tag-compared', connection: 1, isSame: true }).effects)).toContain(
    'connected',
  )
  const different = playAgent(state, { kind: 'tag-compared', connection: 1, isSame: false })
  expect(different.effects.at(-1)).toMatchObject({ kind: 'replace-journal', provenMark: 3 })
})

test('trusts no acknowledgement from another history of the database', () => {
  const { effects } = online(pairedAgent, { mark: 6, streamId: 'restored' })
  expect(effects.at(-1)).toMatchObject({ kind: 'replace-journal', provenMark: 0 })
})

test('sends events again that the relay has lost', () => {
  const { effects } = online(
    { ...pairedAgent, outbox: { ...pairedAgent.outbox, mark: 5 } },
    { mark: 1, streamId: 'restored' },
  )
  expect(effects).toContainEqual(expect.objectContaining({ kind: 'read-events', from: 2 }))
  expect(effects).toContainEqual({ kind: 'record-mark', mark: 1, streamId: 'restored' })
})

test('acknowledges a command only when it is on disk', () => {
  const command = { kind: 'cancel', cmdId: 'c1' }
  const { state, effects } = agentReceives(online().state, { type: 'command', command })
  expect(effects).toEqual([{ kind: 'journal-commands', journalId: 'journal', commands: [{ command }] }])
  const journaled = playAgent(state, { kind: 'commands-journaled', keys: ['cancel:c1'], open: 0 })
  expect(agentFramesIn(journaled.effects)).toEqual([{ type: 'journaled', keys: ['cancel:c1'] }])
})

test('passes on a command of a newer version, together with the problem', () => {
  const { effects } = agentReceives(online().state, { type: 'command', command: { kind: 'dance', cmdId: 'c1' } })
  expect(effects).toMatchObject([
    { kind: 'journal-commands', commands: [{ key: 'dance:c1', problem: expect.any(String) }] },
  ])
})

test('without a common version, reports the supported versions and retries rarely', () => {
  const greeting = playAgent(pairedAgent, { kind: 'start' }, { kind: 'opened', connection: 1 }).state
  const { effects } = agentReceives(greeting, {
    ...challengeFrame,
    versions: { min: 2, max: 3 },
  } as typeof challengeFrame)
  expect(closeIn(effects)).toMatchObject({ code: 4426, reason: expect.stringContaining('versions 1 to 1') })
  expect(effects.at(-1)).toMatchObject({ kind: 'set-timer', timer: 'reconnect', fromMs: 60_000 })
})

test('stops when revoked, and reconnects after a lost connection', () => {
  const { state } = online()
  expect(playAgent(state, closed(state, 4403))).toMatchObject({ state: { phase: { kind: 'stopped', why: 'revoked' } } })
  expect(playAgent(state, closed(state, 1006)).effects.at(-1)).toMatchObject({
    timer: 'reconnect',
    fromMs: 0,
    toMs: 500,
  })
})

describe('counts failures until a connection works in both directions', () => {
  const tick: AgentInput = { kind: 'timer', timer: 'tick' }
  const frame = (text: object): AgentInput => ({ kind: 'received', connection: 1, text: JSON.stringify(text) })
  const events: AgentInput = { kind: 'events-read', connection: 1, from: 4, events: [{ text: '{}', tag: 't' }] }
  const pauseAfter = (...inputs: readonly AgentInput[]) => {
    const { state } = online({ ...pairedAgent, phase: { kind: 'waiting' }, attempts: 5 })
    const after = playAgent(state, ...inputs).state
    return playAgent(after, closed(after, 1006)).effects.at(-1)
  }

  test.each([
    { heartbeatSeconds: 1, characters: 10, ticks: 5 },
    { heartbeatSeconds: 4, characters: 10, ticks: 3 },
    { heartbeatSeconds: 4, characters: 4_000, ticks: 5 },
    { heartbeatSeconds: 20, characters: 4_000, ticks: 3 },
  ])('with a heartbeat of $heartbeatSeconds s, waits for the answer to $characters characters', (example) => {
    const { heartbeatSeconds, characters, ticks } = example
    const { state } = online(pairedAgent, { heartbeatSeconds })
    const text = JSON.stringify('x'.repeat(characters))
    const waiting = playAgent(state, { ...events, events: [{ text, tag: 't' }] }, ...Array(ticks - 1).fill(tick))
    expect(waiting.state.phase.kind).toBe('online')
    if (ticks < 5) expect(playAgent(waiting.state, tick).state.phase.kind).toBe('waiting')
  })

  test('an acknowledgement 10 s after the welcome proves that the connection works, even if the connection becomes half open later', () => {
    const firstPong = frame({ type: 'pong', number: 1 })
    const silence = [tick, tick, tick, tick]
    const pause = pauseAfter(events, tick, firstPong, tick, frame({ type: 'stored', upto: 4 }), ...silence)
    expect(pause).toMatchObject({ timer: 'reconnect', fromMs: 0, toMs: 500 })
  })

  test('on an idle connection, the answer to the first ping proves that the connection works', () => {
    const idle = [frame({ type: 'stored', upto: 3 }), tick, frame({ type: 'ping', number: 9 }), tick, tick, tick]
    expect(pauseAfter(...idle)).toMatchObject({ toMs: 16_000 })
    expect(pauseAfter(...idle, frame({ type: 'pong', number: 1 }))).toMatchObject({ toMs: 500 })
  })

  test('the pauses grow when the relay fails soon after each welcome', () => {
    expect(pauseAfter(events, tick, frame({ type: 'stored', upto: 4 }))).toMatchObject({ toMs: 16_000 })
    expect(pauseAfter(tick, tick, frame({ type: 'pong', number: 7 }))).toMatchObject({ toMs: 16_000 })
    expect(pauseAfter(tick, tick, frame({ type: 'stored', upto: 3 }))).toMatchObject({ toMs: 16_000 })
  })
})

test('disconnects after 30 s from a relay that does not store events', () => {
  const { state } = online()
  const sent = playAgent(state, { kind: 'events-read', connection: 1, from: 4, events: [{ text: '{}', tag: 't' }] })
  const beats = Array.from({ length: 6 }, (): AgentInput[] => [
    { kind: 'received', connection: 1, text: '{"type":"ping","number":1}' },
    { kind: 'timer', timer: 'tick' },
  ]).flat()
  expect(playAgent(sent.state, ...beats.slice(0, -1)).state.phase.kind).toBe('online')
  expect(closeIn(playAgent(sent.state, ...beats).effects)).toMatchObject({
    code: 4408,
    reason: 'the relay does not acknowledge events',
  })
})

test('disconnects at the requested time and reconnects at once', () => {
  const { state, effects } = agentReceives(online().state, { type: 'goaway', reconnectAfterMs: 700 })
  expect(effects).toEqual([{ kind: 'set-timer', timer: 'leave', fromMs: 700, toMs: 700 }])
  const left = playAgent(state, { kind: 'timer', timer: 'leave' })
  expect(closeIn(left.effects)).toMatchObject({ code: 4000 })
  expect(left.effects.at(-1)).toMatchObject({ timer: 'reconnect', fromMs: 0, toMs: 0 })
})

test('reconnects less and less often to a relay that ends each connection at once', () => {
  const { state } = online({ ...pairedAgent, phase: { kind: 'waiting' }, attempts: 4 })
  const left = playAgent(agentReceives(state, { type: 'goaway', reconnectAfterMs: 0 }).state, {
    kind: 'timer',
    timer: 'leave',
  })
  expect(left.effects.at(-1)).toMatchObject({ timer: 'reconnect', fromMs: 0, toMs: 8_000 })
})

test('ignores frames of an old socket', () => {
  const { state } = online()
  const again = online(playAgent(state, closed(state, 1006)).state)
  const late: AgentInput = { kind: 'received', connection: 1, text: '{"type":"stored","upto":5}' }
  expect(playAgent(again.state, late)).toEqual({ state: again.state, effects: [] })
})

test('an acknowledgement of an unsent event, or an unexpected frame, ends the connection with the reason', () => {
  const { state } = online()
  expect(closeIn(agentReceives(state, { type: 'stored', upto: 5 }).effects)).toMatchObject({ code: 4400 })
  expect(closeIn(agentReceives(state, welcomeFrame).effects)).toMatchObject({
    code: 4400,
    reason: 'welcome while online',
  })
})

test('a replay starts at the requested event', () => {
  const { state } = online({ ...pairedAgent, outbox: { ...pairedAgent.outbox, mark: 5 } }, { mark: 5 })
  const { effects } = agentReceives(state, { type: 'replay', from: 2 })
  expect(effects).toMatchObject([{ kind: 'read-events', from: 2, most: 4 }])
})

test('ignores events of a replaced journal', () => {
  const { state } = online()
  expect(playAgent(state, { kind: 'events-appended', journalId: 'other', tail: 99 }).effects).toEqual([])
  expect(playAgent(state, { kind: 'events-appended', journalId: 'journal', tail: 99 }).state.outbox.tail).toBe(99)
})

test('sends waiting reasons while connected, and drops them otherwise', () => {
  const report: AgentInput = { kind: 'waiting', report: { sims: [{ simNumber: 1, reason: 'limit' }], messages: [] } }
  expect(agentFramesIn(playAgent(online().state, report).effects)).toMatchObject([
    { type: 'waiting', report: report.report },
  ])
  expect(playAgent(pairedAgent, report).effects).toEqual([])
})

test('sends telemetry while connected, and drops it otherwise', () => {
  const sample: AgentInput = { kind: 'telemetry', at: '2026-01-01T00:00:00Z', sample: { signal: 7 } }
  expect(agentFramesIn(playAgent(online().state, sample).effects)).toMatchObject([
    { type: 'telemetry', sample: { signal: 7 } },
  ])
  expect(playAgent(pairedAgent, sample).effects).toEqual([])
})

test('does not throw on any frame in any phase, and closes with a short reason', () => {
  const phases = [
    pairedAgent,
    playAgent(pairedAgent, { kind: 'start' }, { kind: 'opened', connection: 1 }).state,
    greeted().state,
    online().state,
  ]
  const number = fc.integer({ min: -1, max: 8 })
  const frames = fc.oneof(
    fc.json(),
    fc
      .record({ type: fc.constantFrom('stored', 'replay', 'ping', 'pong'), upto: number, from: number, number })
      .map((frame) => JSON.stringify(frame)),
    fc
      .record({
        ...Object.fromEntries(
          Object.entries(welcomeFrame).map(([key, value]) => [key, fc.oneof(fc.constant(value), number)]),
        ),
      })
      .map((frame) => JSON.stringify(frame)),
    fc.record({ type: fc.constant('command'), command: fc.object() }).map((frame) => JSON.stringify(frame)),
  )
  fc.assert(
    fc.property(fc.constantFrom(...phases), fc.array(frames, { maxLength: 5 }), (state, texts) => {
      const { connection } = state
      const { effects } = playAgent(state, ...texts.map((text): AgentInput => ({ kind: 'received', connection, text })))
      for (const effect of effects) {
        if (effect.kind === 'close') expect(Buffer.byteLength(effect.reason)).toBeLessThanOrEqual(123)
      }
    }),
    { numRuns: 500 },
  )
})

test('announces freed capacity after a pause, together for several messages', () => {
  const { state } = online({ ...pairedAgent, queue: { ...pairedAgent.queue, open: 12, capacity: 12 } })
  const one = playAgent(state, { kind: 'queue-changed', queue: { open: 11 } })
  expect(agentFramesIn(one.effects)).toEqual([{ type: 'credit', limit: 1, urgentLimit: 3 }])
  expect(one.effects).toContainEqual({ kind: 'set-timer', timer: 'credit', fromMs: 50, toMs: 50 })
  const command = { kind: 'send', cmdId: 'a' }
  const used = agentReceives(one.state, { type: 'command', command })
  const taken = playAgent(
    used.state,
    { kind: 'commands-journaled', keys: ['send:a'], open: 12 },
    { kind: 'queue-changed', queue: { open: 10 } },
  )
  expect(agentFramesIn(taken.effects)).toEqual([{ type: 'journaled', keys: ['send:a'] }])
  const rested = playAgent(taken.state, { kind: 'timer', timer: 'credit' })
  expect(agentFramesIn(rested.effects)).toEqual([{ type: 'credit', limit: 3, urgentLimit: 5 }])
})

test('reconnects soon after a malformed frame, which may be a fault of a proxy', () => {
  const { state } = online()
  const { effects } = playAgent(state, closed(state, closeCodes.malformed.code))
  expect(effects).toContainEqual({ kind: 'set-timer', timer: 'reconnect', fromMs: 0, toMs: 500 })
})

test('sends at most one heartbeat per second, even if the relay requests more', () => {
  const { effects } = online(pairedAgent, { heartbeatSeconds: 0.01 })
  expect(effects).toContainEqual({ kind: 'set-timer', timer: 'tick', fromMs: 250, toMs: 250 })
})
