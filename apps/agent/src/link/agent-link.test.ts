import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { VERSION } from '@smsgw/daemon/version'
import { newAgent } from '@smsgw/link/agent/state'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { AgentFixture } from '../testing/agent-fixture.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import { AgentIdentity, identityFile } from './agent-identity.ts'
import { AgentLink } from './agent-link.ts'
import { socketInProcess } from './in-process-socket.ts'
import { webSocketTo } from './web-socket.ts'

let fixture: AgentFixture
let server: Server
let url: string

beforeEach(async () => {
  fixture = new AgentFixture()
  server = createServer()
  const webSockets = new WebSocketServer({ server })
  webSockets.on('connection', (socket) => {
    const session = fixture.relay.accept({
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    })
    socket.on('message', (data) => session.step({ kind: 'received', text: String(data) }))
    socket.on('close', () => session.step({ kind: 'closed' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/agent/v1`
})

afterEach(async () => {
  await fixture.dispose()
  server.closeAllConnections()
  server.close()
})

const start = (clock = monotonicClock) => fixture.start([], { clock, openSocket: webSocketTo(url) })

/**
 * Advances the clock in small steps. A timer that was set by another timer must not fire in the same step, and a real
 * socket may report its end only after a step.
 */
async function passUntil(clock: ManualClock, phase: string): Promise<void> {
  for (let steps = 0; fixture.agent?.status().link.phase !== phase && steps < 1_000; steps += 1) {
    clock.advance(100)
    await setImmediate()
  }
  expect(fixture.agent?.status().link.phase).toBe(phase)
}

async function phaseIs(phase: string): Promise<void> {
  await expect.poll(() => fixture.agent?.status().link.phase, { interval: 10 }).toBe(phase)
}

test('pairs, signs in and sends events over a WebSocket', async () => {
  const clock = new ManualClock()
  await start(clock)
  await phaseIs('online')
  // An agent without modems waits this long for SIMs before it reports its start.
  clock.advance(5_000)
  await fixture.relay.heard('started')
  expect(fixture.relay.frames.map(({ type }) => type).slice(0, 2)).toEqual(['pair', 'hello'])
})

test.each([
  ['pair', 4402, 'this code is used or out of date'],
  ['hello', 4403, 'the device was deleted'],
] as const)('stops and logs the reason when refused at %s with %i', async (at, code, reason) => {
  fixture.relay.refusal = { at, code, reason }
  await start()
  await phaseIs('stopped')
  expect(fixture.log.join('\n')).toContain(reason)
  expect(fixture.relay.connections).toBe(1)
})

test('closes with its protocol versions if the relay supports none of them, and retries later', async () => {
  fixture.relay.versions = { min: 7, max: 9 }
  await start()
  await phaseIs('waiting')
  expect(fixture.agent?.status().link.problem).toContain('versions 1 to 1 of the protocol: update the older side')
})

test('reconnects after a lost connection and sends the events that occurred meanwhile', async () => {
  const clock = new ManualClock()
  await start(clock)
  await phaseIs('online')
  fixture.relay.close(1011, 'internal error')
  await expect.poll(() => fixture.relay.isConnected).toBe(false)
  await phaseIs('waiting')
  await passUntil(clock, 'connecting')
  await phaseIs('online')
  clock.advance(5_000)
  await fixture.relay.heard('started')
  expect(fixture.relay.connections).toBe(2)
})

test('after goaway, stays connected until the given time, then reconnects at once without losing a command', async () => {
  const clock = new ManualClock()
  await start(clock)
  await phaseIs('online')
  fixture.relay.goAway(4_000)
  fixture.relay.send('c1', '+447700900555', 'Hello')
  await fixture.relay.heard('processed', { cmdId: 'c1' })
  clock.advance(3_999)
  expect(fixture.agent?.status().link.phase).toBe('online')
  expect(fixture.relay.connections).toBe(1)
  clock.advance(1)
  await expect.poll(() => fixture.relay.connections).toBe(2)
  await phaseIs('online')
  expect(fixture.log.filter((line) => line.includes('connected to the relay'))).toHaveLength(2)
})

test.each([
  ['relay', 'challenge', 'awaiting-challenge', 4_000],
  ['relay', 'welcome', 'awaiting-welcome', 6_000],
  ['relay of the previous release', 'welcome', 'awaiting-welcome', 45_000],
] as const)(
  'disconnects from a %s that does not send its %s, and retries',
  async (which, silence, last, leftAfterMs) => {
    const clock = new ManualClock()
    fixture.relay.sendsPending = which === 'relay'
    fixture.relay.silence = silence
    await start(clock)
    await phaseIs(last)
    clock.advance(leftAfterMs - 1)
    expect(fixture.agent?.status().link.phase).toBe(last)
    clock.advance(1)
    await phaseIs('waiting')
    expect(fixture.agent?.status().link.problem).toContain('timed-out')
    fixture.relay.silence = undefined
    await passUntil(clock, 'connecting')
    await phaseIs('online')
  },
)

test('disconnects from a server that never completes the handshake, and retries', async () => {
  const clock = new ManualClock()
  server.removeAllListeners('upgrade')
  let upgrades = 0
  server.on('upgrade', () => {
    upgrades += 1
  })
  await start(clock)
  for (let times = 1; times <= 3; times += 1) {
    await expect.poll(() => upgrades).toBe(times)
    await passUntil(clock, 'waiting')
    await passUntil(clock, 'connecting')
  }
})

test('stops and logs the reason if another agent uses the same identity', async () => {
  const clock = new ManualClock()
  await start(clock)
  await phaseIs('online')
  fixture.relay.intruder = 'boot of another one'
  for (let times = 0; times < 4; times += 1) {
    const { connections } = fixture.relay
    fixture.relay.close(4409, 'a newer connection took its place')
    // The steps are small, because opening a socket takes real time, and the attempt must not time out.
    await expect
      .poll(
        () => {
          if (fixture.agent?.status().link.phase === 'waiting') clock.advance(1_000)
          return fixture.relay.connections
        },
        { timeout: 90_000, interval: 2 },
      )
      .toBeGreaterThan(connections)
    await expect.poll(() => fixture.agent?.status().link.phase).toMatch(/^(online|waiting|stopped)$/)
  }
  await expect.poll(() => fixture.log.join('\n')).toContain('two agents use this identity')
  expect(fixture.agent?.status().link.phase).not.toBe('online')
})

test('takes the time from the relay if the system clock is not trusted', async () => {
  fixture.relay.serverTime = () => new Date(Date.now() + 3_600_000).toISOString()
  await start()
  await phaseIs('online')
  await expect.poll(() => fixture.agent?.status().clock.systemErrorMs).toBeLessThan(-3_500_000)
  fixture.relay.sendTime(new Date(Date.now() - 3_600_000).toISOString())
  await expect.poll(() => fixture.agent?.status().clock.systemErrorMs).toBeGreaterThan(3_500_000)
})

test('a stop right after a command arrived does not write the command', async () => {
  const identity = AgentIdentity.load(join(fixture.dataDir, identityFile))
  const taken: string[] = []
  const stopped = Promise.withResolvers<void>()
  const nothing = async () => undefined
  const link: AgentLink = new AgentLink({
    clock: monotonicClock,
    random: Math.random,
    openSocket: (listener) =>
      socketInProcess(fixture.relay.accept)({
        ...listener,
        onText(text) {
          listener.onText(text)
          if (!text.startsWith('{"type":"command"')) return
          link.stop()
          stopped.resolve()
        },
      }),
    state: newAgent({
      agent: {
        bootId: 'first-boot',
        agentVersion: VERSION,
        publicKey: identity.publicKey,
        name: 'a test',
        isClockSynchronised: true,
        sims: [],
      },
      identity: { credential: 'one-time-code' },
      journal: { id: 'journal-1' },
      marks: { first: 1, tail: 0, mark: 0 },
    }),
    identity: { sign: (text) => identity.sign(text), keep: nothing },
    journal: {
      tagOf: nothing,
      events: async (from) => ({ from, events: [] }),
      recordMark: nothing,
      renounce: () => Promise.reject(new Error('not part of this test')),
    },
    commands: {
      async take(journalId) {
        taken.push(journalId)
        return []
      },
      openSends: () => 0,
    },
    listener: {
      onSettings: () => undefined,
      onConnected: () => fixture.relay.give({ kind: 'cancel', cmdId: 'c1' }),
      onDisconnected: () => undefined,
      onError: stopped.reject,
    },
  })
  link.start()
  await stopped.promise
  await setImmediate()
  expect(taken).toEqual([])
})
