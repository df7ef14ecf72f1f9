import type { AgentFrame, Pair } from '@smsgw/contract/link/frame'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedText } from '../connection/signed-text.ts'
import {
  challenged,
  hello,
  open,
  opened,
  playRelay,
  readyRelay,
  relayFramesIn,
  relayReceives,
} from '../testing/relay-script.ts'
import { newConnection, type RelayInput, type RelayStep } from './state.ts'

const events = (from: number, count = 1): AgentFrame => ({
  type: 'events',
  from,
  events: Array.from({ length: count }, () => ({ kind: 'cancelled', cmdId: 'c', at: '2026-01-01T00:00:00Z' })),
  tag: `t${from + count - 1}`,
})
const kindsOf = (effects: readonly { readonly kind: string }[]) => effects.map(({ kind }) => kind)
const closeIn = (effects: readonly object[]) => effects.find((effect) => 'kind' in effect && effect.kind === 'close')
const cancel = (cmdId: string) => ({ kind: 'cancel', cmdId }) as const

test('sends the welcome when the signature is verified and the store has opened the connection', () => {
  const greeted = relayReceives(challenged(), hello)
  const text = signedText({
    purpose: 'hello',
    relayId: 'relay',
    nonce: 'n'.repeat(16),
    deviceId: 'device',
    journalId: 'journal',
    bootId: 'boot',
  })
  expect(greeted.effects).toContainEqual({ kind: 'authenticate', deviceId: 'device', text, signature: 'AAAA' })
  const verified = playRelay(greeted.state, { kind: 'authenticated' })
  expect(verified.effects).toEqual([{ kind: 'open-connection', hello }])
  const { effects } = playRelay(verified.state, { kind: 'connection-opened', opened })
  expect(relayFramesIn(effects)).toMatchObject([{ type: 'welcome', version: 1, connEpoch: 7, mark: 4, window: 4 }])
})

test('waits 15 s for the hello, and longer for its authentication when many agents connect at once', () => {
  const timer = { kind: 'set-timer', timer: 'handshake' }
  const { state, effects } = playRelay(newConnection({ relayId: 'relay', nonce: 'n'.repeat(16) }), { kind: 'opened' })
  expect(effects).toContainEqual({ ...timer, fromMs: 15_000, toMs: 15_000 })
  expect(relayReceives(state, hello).effects).toContainEqual({ ...timer, fromMs: 45_000, toMs: 45_000 })
})

test('sends a pending frame every two seconds until the agent is authenticated and its connection open', () => {
  const isPending = ({ effects }: RelayStep) =>
    relayFramesIn(effects).some(({ type }) => type === 'pending') &&
    effects.some((effect) => effect.kind === 'set-timer' && effect.timer === 'pending' && effect.toMs === 2_000)
  const timer = { kind: 'timer', timer: 'pending' } as const
  const first = relayReceives(challenged(), hello)
  expect(first.effects).toContainEqual({ kind: 'set-timer', timer: 'pending', fromMs: 1_500, toMs: 2_000 })
  expect(isPending(playRelay(first.state, timer))).toBe(true)
  const opening = playRelay(first.state, { kind: 'authenticated' })
  expect(isPending(playRelay(opening.state, timer))).toBe(true)
  const welcomed = playRelay(opening.state, { kind: 'connection-opened', opened })
  expect(welcomed.effects).toContainEqual({ kind: 'cancel-timer', timer: 'pending' })
  expect(isPending(playRelay(welcomed.state, timer))).toBe(false)
  expect(isPending(playRelay(challenged(), timer))).toBe(false)
})

test('pairs a new agent, which sends hello on the same connection', () => {
  const pair: Pair = {
    type: 'pair',
    credential: 'CODE',
    publicKey: `${'A'.repeat(43)}=`,
    signature: 'AAAA',
    name: 'attic',
  }
  const { state, effects } = relayReceives(challenged(), pair)
  expect(effects).toContainEqual({ kind: 'pair', pair, text: expect.stringContaining('CODE') })
  const paired = playRelay(state, { kind: 'paired', deviceId: 'device' })
  expect(relayFramesIn(paired.effects)).toEqual([{ type: 'paired', deviceId: 'device' }])
  expect(kindsOf(relayReceives(paired.state, hello).effects)).toContain('authenticate')
  expect(closeIn(playRelay(state, { kind: 'pairing-refused', reason: 'the code is used' }).effects)).toMatchObject({
    code: 4402,
  })
})

test('supports the previous version, and reports the supported range when there is no common version', () => {
  const relay = challenged({ versions: { min: 1, max: 2 } })
  const old = playRelay(
    relayReceives(relay, hello).state,
    { kind: 'authenticated' },
    { kind: 'connection-opened', opened },
  )
  expect(relayFramesIn(old.effects)).toMatchObject([{ type: 'welcome', version: 1 }])
  const { effects } = relayReceives(relay, { ...hello, versions: { min: 3, max: 4 } })
  expect(closeIn(effects)).toMatchObject({ code: 4426, reason: expect.stringContaining('versions 1 to 2') })
})

test('acknowledges an event when it is committed, and stores later events with the next commit', () => {
  const first = relayReceives(readyRelay(), events(5), events(6), events(7))
  expect(first.effects).toMatchObject([
    { kind: 'store-events', connEpoch: 7, journalId: 'journal', batch: { from: 5, tag: 't5' } },
  ])
  const next = playRelay(first.state, { kind: 'events-stored', mark: 5, pauseMs: 0 })
  expect(relayFramesIn(next.effects)).toEqual([{ type: 'stored', upto: 5 }])
  expect(next.effects).toContainEqual(
    expect.objectContaining({ kind: 'store-events', batch: expect.objectContaining({ from: 6 }) }),
  )
})

test('acknowledges at once, and stores later events after the pause that the store requests', () => {
  const { state } = relayReceives(readyRelay(), events(5), events(6))
  const paused = playRelay(state, { kind: 'events-stored', mark: 5, pauseMs: 40 })
  expect(relayFramesIn(paused.effects)).toEqual([{ type: 'stored', upto: 5 }])
  expect(paused.effects).toContainEqual({ kind: 'set-timer', timer: 'store', fromMs: 40, toMs: 40 })
  expect(kindsOf(paused.effects)).not.toContain('store-events')
  const later = playRelay(relayReceives(paused.state, events(7)).state, { kind: 'timer', timer: 'store' })
  expect(later.effects).toMatchObject([{ kind: 'store-events', batch: { from: 6, tag: 't7' } }])
})

test('repeats a failed transaction after a pause, and acknowledges nothing before the commit', () => {
  const { state } = relayReceives(readyRelay(), events(5))
  const failed = playRelay(state, { kind: 'store-failed' })
  expect(failed.effects).toMatchObject([{ kind: 'set-timer', timer: 'retry' }])
  const again = playRelay(failed.state, { kind: 'timer', timer: 'retry' })
  expect(again.effects).toContainEqual(expect.objectContaining({ kind: 'store-events' }))
})

test('after a restore, requests a replay, and ignores events that were in flight', () => {
  const { state } = relayReceives(readyRelay(), events(5), events(6))
  const behind = playRelay(state, { kind: 'mark-behind', mark: 2 })
  expect(relayFramesIn(behind.effects)).toEqual([{ type: 'replay', from: 3 }])
  expect(relayReceives(behind.state, events(7)).effects).toEqual([])
  expect(relayReceives(behind.state, events(3)).effects).toMatchObject([{ kind: 'store-events', batch: { from: 3 } }])
})

test('ends the connection after a gap in the events, and when the agent sends more events than the window allows', () => {
  expect(closeIn(relayReceives(readyRelay(), events(6)).effects)).toMatchObject({ code: 4400 })
  expect(closeIn(relayReceives(readyRelay(), events(5, 5)).effects)).toMatchObject({ code: 4413 })
})

test('a transaction claims only if a claim can begin at once, and its commands are sent after the commit', () => {
  const along = { kind: 'claim-along' } as const
  const granted = relayReceives(open().state, { type: 'credit', limit: 2, urgentLimit: 3 }).state
  expect(playRelay(granted, along).effects).toEqual([])
  const resumed = playRelay(granted, { kind: 'commands-claimed', commands: [], areAll: true }).state
  const claiming = playRelay(resumed, along)
  expect(claiming.effects).toMatchObject([{ kind: 'claim-along', room: { sends: 2 } }])
  expect(playRelay(claiming.state, along).effects).toEqual([])
  const committed = playRelay(claiming.state, { kind: 'commands-claimed', commands: [cancel('a')] })
  expect(relayFramesIn(committed.effects)).toEqual([{ type: 'command', command: cancel('a') }])
  const failed = playRelay(claiming.state, { kind: 'claim-failed' }, { kind: 'timer', timer: 'retry' })
  expect(failed.effects.at(-1)).toMatchObject({ kind: 'claim-commands', isResume: true })
})

test('the first claim of a connection returns unacknowledged commands, and later claims return new commands', () => {
  const { state, effects } = relayReceives(open().state, { type: 'credit', limit: 2, urgentLimit: 3 })
  expect(effects).toMatchObject([{ kind: 'claim-commands', isResume: true, connEpoch: 7, journalId: 'journal' }])
  const resumed = playRelay(state, { kind: 'commands-claimed', commands: [cancel('a')] })
  expect(relayFramesIn(resumed.effects)).toEqual([{ type: 'command', command: cancel('a') }])
  expect(resumed.effects.at(-1)).toMatchObject({ kind: 'claim-commands', isResume: false, room: { sends: 2 } })
})

test('an agent without commands needs only the first claim, and a hint during this claim is not lost', () => {
  const { state } = relayReceives(open().state, { type: 'credit', limit: 2, urgentLimit: 3 })
  const nothing: RelayInput = { kind: 'commands-claimed', commands: [], areAll: true }
  const idle = playRelay(state, nothing)
  expect(idle.effects).toEqual([])
  expect(playRelay(idle.state, { kind: 'wake' }).effects).toMatchObject([{ kind: 'claim-commands', isResume: false }])
  const woken = playRelay(state, { kind: 'wake' }, nothing)
  expect(woken.effects).toMatchObject([{ kind: 'claim-commands', isResume: false, room: { sends: 2 } }])
})

test('a hint starts a claim at once, unless a claim is in progress', () => {
  const woken = playRelay(readyRelay(), { kind: 'wake' })
  expect(kindsOf(woken.effects)).toEqual(['claim-commands'])
  const twice = playRelay(woken.state, { kind: 'wake' })
  expect(twice.effects).toEqual([])
  expect(kindsOf(playRelay(twice.state, { kind: 'commands-claimed', commands: [] }).effects)).toEqual([
    'claim-commands',
  ])
})

test('closes when a newer connection fences this connection, and ignores later inputs', () => {
  const { state } = relayReceives(readyRelay(), events(5), events(6))
  const fenced = playRelay(state, { kind: 'fenced' })
  expect(closeIn(fenced.effects)).toMatchObject({ code: 4409 })
  const late: RelayInput[] = [
    { kind: 'events-stored', mark: 5, pauseMs: 0 },
    { kind: 'wake' },
    { kind: 'timer', timer: 'tick' },
    { kind: 'received', text: JSON.stringify(events(7)) },
    { kind: 'commands-claimed', commands: [cancel('a')] },
  ]
  expect(playRelay(fenced.state, ...late)).toEqual({ state: fenced.state, effects: [] })
})

test('stores the events of an agent in the same process without reading their text', () => {
  const frame = events(5, 2)
  if (frame.type !== 'events') throw new Error('not a frame of events')
  const { effects } = playRelay(readyRelay(), { kind: 'received', text: 'not read', frame })
  const read = frame.events.map((event) => ({ event }))
  expect(effects).toContainEqual(
    expect.objectContaining({
      kind: 'store-events',
      batch: expect.objectContaining({ from: 5, events: read, length: 8 }),
    }),
  )
})

test('reads the text of a frame that arrives in the same process before the connection is open', () => {
  const frame = events(5)
  if (frame.type !== 'events') throw new Error('not a frame of events')
  const { effects } = playRelay(challenged(), { kind: 'received', text: JSON.stringify(frame), frame })
  expect(closeIn(effects)).toMatchObject({ reason: 'events while challenged' })
})

test('closes a connection in the store if its socket closed while the connection was being opened', () => {
  const { state } = playRelay(
    relayReceives(challenged(), hello).state,
    { kind: 'authenticated' },
    { kind: 'closed', code: 1006 },
  )
  expect(playRelay(state, { kind: 'connection-opened', opened }).effects).toEqual([
    { kind: 'close-connection', connEpoch: 7 },
  ])
})

test('sends the time with the settings after the clock was set', () => {
  const { effects } = playRelay(readyRelay(), {
    kind: 'settings-changed',
    settings: {},
    serverTime: '2026-03-01T12:00:00Z',
  })
  expect(relayFramesIn(effects)).toEqual([{ type: 'settings', settings: {}, serverTime: '2026-03-01T12:00:00Z' }])
})

test('sends the last of many changes of the settings with the next tick', () => {
  const changes = Array.from(
    { length: 500 },
    (_, version) => ({ kind: 'settings-changed', settings: { version } }) as const,
  )
  const { state, effects } = playRelay(readyRelay(), ...changes)
  expect(relayFramesIn(effects)).toHaveLength(10)
  const ticked = playRelay(state, { kind: 'timer', timer: 'tick' })
  expect(relayFramesIn(ticked.effects)).toEqual([{ type: 'settings', settings: { version: 499 } }])
  expect(relayFramesIn(playRelay(ticked.state, { kind: 'timer', timer: 'tick' }).effects)).toEqual([])
})

test('sends a new time at once, because the time would be wrong at the next tick', () => {
  const change = { kind: 'settings-changed', settings: { version: 1 } } as const
  const { state } = playRelay(readyRelay(), ...Array.from({ length: 50 }, () => change))
  const { effects } = playRelay(state, { ...change, serverTime: '2026-03-01T12:00:00Z' })
  expect(relayFramesIn(effects)).toMatchObject([{ type: 'settings', serverTime: '2026-03-01T12:00:00Z' }])
})

test('sends settings that change during the handshake after the welcome', () => {
  const { state } = playRelay(
    relayReceives(challenged(), hello).state,
    { kind: 'authenticated' },
    { kind: 'settings-changed', settings: { version: 2 } },
  )
  const { effects } = playRelay(state, { kind: 'connection-opened', opened })
  expect(relayFramesIn(effects)).toMatchObject([{ type: 'welcome' }, { type: 'settings', settings: { version: 2 } }])
})

test('a relay that stops asks the agent to reconnect later, and serves it until then', () => {
  const { state, effects } = playRelay(readyRelay(), { kind: 'drain', reconnectAfterMs: 900 })
  expect(relayFramesIn(effects)).toEqual([{ type: 'goaway', reconnectAfterMs: 900 }])
  expect(kindsOf(playRelay(state, { kind: 'wake' }).effects)).toEqual(['claim-commands'])
  expect(kindsOf(relayReceives(state, events(5)).effects)).toEqual(['store-events'])
})

test.each([
  [{ kind: 'revoked' } as const, 4403],
  [{ kind: 'restored' } as const, 4503],
  [{ kind: 'refused', why: 'unauthenticated', reason: 'no such device' } as const, 4401],
])('closes %o with its own code and releases the device', (input, code) => {
  const { effects } = playRelay(readyRelay(), input)
  expect(closeIn(effects)).toMatchObject({ code })
  expect(effects).toContainEqual({ kind: 'close-connection', connEpoch: 7 })
})

test('closes after 45 s without a frame, and after 30 s without an acknowledgement of commands', () => {
  const ticks = (count: number) => Array.from({ length: count }, (): RelayInput => ({ kind: 'timer', timer: 'tick' }))
  expect(playRelay(readyRelay(), ...ticks(8)).state.phase.kind).toBe('open')
  expect(closeIn(playRelay(readyRelay(), ...ticks(9)).effects)).toMatchObject({ code: 4408 })
  const sent = playRelay(playRelay(readyRelay(), { kind: 'wake' }).state, {
    kind: 'commands-claimed',
    commands: [cancel('a')],
  }).state
  const alive = ticks(6).flatMap((tick): RelayInput[] => [
    { kind: 'received', text: '{"type":"ping","number":1}' },
    tick,
  ])
  expect(closeIn(playRelay(sent, ...alive).effects)).toMatchObject({
    code: 4408,
    reason: 'the agent does not acknowledge commands',
  })
})

test('renews the lease once in each heartbeat', () => {
  const ticks = Array.from({ length: 8 }, (): RelayInput => ({ kind: 'timer', timer: 'tick' }))
  const renewals = playRelay(readyRelay(), ...ticks).effects.filter(({ kind }) => kind === 'renew-lease')
  expect(renewals).toEqual([
    { kind: 'renew-lease', connEpoch: 7 },
    { kind: 'renew-lease', connEpoch: 7 },
  ])
})

test('reports a duplicate identity', () => {
  expect(playRelay(readyRelay(), { kind: 'closed', code: 4423 }).effects.at(-1)).toEqual({
    kind: 'report-duplicate',
    deviceId: 'device',
  })
})

test('does not throw on any frame in any phase, and closes with a short reason', () => {
  const phases = [challenged(), relayReceives(challenged(), hello).state, open().state, readyRelay()]
  const number = fc.integer({ min: -1, max: 9 })
  const frames = fc.oneof(
    fc.json(),
    fc.constant(JSON.stringify(hello)),
    fc
      .record({
        type: fc.constant('events'),
        from: number,
        skipped: number,
        events: fc.array(fc.anything(), { maxLength: 3 }),
        tag: fc.string(),
      })
      .map((frame) => safeText(frame)),
    fc
      .record({
        type: fc.constantFrom('credit', 'pong', 'ping', 'journaled'),
        limit: number,
        urgentLimit: number,
        number,
        keys: fc.array(fc.string()),
      })
      .map((frame) => JSON.stringify(frame)),
  )
  fc.assert(
    fc.property(fc.constantFrom(...phases), fc.array(frames, { maxLength: 5 }), (state, texts) => {
      const { effects } = playRelay(state, ...texts.map((text): RelayInput => ({ kind: 'received', text })))
      for (const effect of effects) {
        if (effect.kind === 'close') expect(Buffer.byteLength(effect.reason)).toBeLessThanOrEqual(123)
      }
    }),
    { numRuns: 500 },
  )
})

/** Returns a text for any value, because some values cannot be written as JSON. */
function safeText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '{}'
  }
}
