import type { RelayFrame } from '@smsgw/contract/link/frame'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agentReceives,
  challengeFrame,
  greeted,
  online,
  pairedAgent,
  playAgent,
  welcomeFrame,
} from '../testing/agent-script.ts'
import type { AgentInput, AgentState, AgentStep } from './state.ts'

const closed = (state: AgentState, code: number): AgentInput => ({
  kind: 'closed',
  connection: state.connection,
  code,
  reason: '',
})

describe('during an outage of the relay', () => {
  /**
   * Makes the agent attempt to connect until a connection succeeds. Returns the time from the end of the outage to this
   * connection.
   */
  function backAfterMs(outageMs: number, random: () => number, isProxied = false): number {
    let { state } = online()
    let step = playAgent(state, closed(state, 1006))
    let nowMs = 0
    for (;;) {
      const timer = step.effects.at(-1) as { readonly fromMs: number; readonly toMs: number }
      nowMs += timer.fromMs + (timer.toMs - timer.fromMs) * random()
      state = playAgent(step.state, { kind: 'timer', timer: 'reconnect' }).state
      if (nowMs >= outageMs) return nowMs - outageMs
      step = playAgent(state, { kind: 'unreachable', connection: state.connection, reason: 'refused', isProxied })
    }
  }

  test('an agent connects within 4 s after a short outage, and within 8 s behind a proxy', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 180_000 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (outageMs, stream) => {
          // The random numbers exclude the shortest pauses, so that the attempts last for the whole outage.
          const random = () => 0.5 + (stream.next().value as number) / 2
          expect(backAfterMs(outageMs, random)).toBeLessThanOrEqual(4_000)
          expect(backAfterMs(outageMs, random, true)).toBeLessThanOrEqual(8_000)
        },
      ),
    )
  })

  test('the pauses grow to a minute during a long outage', () => {
    expect(backAfterMs(60 * 60_000 - 1, () => 1)).toBeLessThanOrEqual(60_000)
    const pauses: number[] = []
    let { state } = playAgent(pairedAgent, { kind: 'start' })
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const step = playAgent(state, { kind: 'unreachable', connection: state.connection, reason: '', isProxied: false })
      pauses.push((step.effects.at(-1) as { readonly toMs: number }).toMs)
      state = playAgent(step.state, { kind: 'timer', timer: 'reconnect' }).state
    }
    expect(pauses.slice(0, 5)).toEqual([500, 1_000, 2_000, 4_000, 4_000])
    expect(pauses.filter((ms) => ms === 4_000)).toHaveLength(118)
    expect(pauses.at(-1)).toBe(60_000)
  })

  test('pauses stay long after refused connections, because the relay may be overloaded', () => {
    const connecting: AgentState = { ...pairedAgent, connection: 1, phase: { kind: 'connecting' }, attempts: 6 }
    const lost = playAgent(connecting, { kind: 'unreachable', connection: 1, reason: '', isProxied: false })
    expect(lost.effects.at(-1)).toMatchObject({ timer: 'reconnect', toMs: 32_000 })
    expect(lost.state.attempts).toBe(6)
  })
})

describe('while the network drops all data', () => {
  const limitOf = (effects: readonly object[]) =>
    effects.find((effect) => 'timer' in effect && effect.timer === 'handshake') as { readonly toMs: number }
  const stall = (state: AgentState) => playAgent(state, { kind: 'timer', timer: 'handshake' })

  /**
   * Makes the agent attempt to connect until an attempt begins after the end of the outage. Returns the time from the
   * end of the outage to the start of this attempt.
   */
  function backAfterMs(outageMs: number, random: () => number): number {
    let step = playAgent(online().state, closed(online().state, 1006))
    let nowMs = 0
    for (;;) {
      const pause = step.effects.at(-1) as { readonly fromMs: number; readonly toMs: number }
      nowMs += pause.fromMs + (pause.toMs - pause.fromMs) * random()
      const connecting = playAgent(step.state, { kind: 'timer', timer: 'reconnect' })
      if (nowMs >= outageMs) return nowMs - outageMs
      nowMs += limitOf(connecting.effects).toMs
      step = stall(connecting.state)
    }
  }

  test('an agent connects within 8 s after an outage of up to 16 s', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 16_000 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (outageMs, stream) => {
          expect(backAfterMs(outageMs, () => stream.next().value as number)).toBeLessThanOrEqual(8_000)
        },
      ),
    )
  })

  /** Returns how long the agent waits for the first frame in each of these attempts, none of which is answered. */
  function challengePatienceMs(before: AgentState, attempts: number, isReached: boolean): number[] {
    const patience: number[] = []
    let state = before
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let step = playAgent({ ...state, phase: { kind: 'waiting' } }, { kind: 'timer', timer: 'reconnect' })
      const { connection } = step.state
      if (isReached) step = { ...step, state: playAgent(step.state, { kind: 'reached', connection }).state }
      let ms = 0
      for (; step.state.phase.kind === 'connecting'; step = stall(step.state)) ms += limitOf(step.effects).toMs
      patience.push(ms)
      state = step.state
    }
    return patience
  }

  test('each attempt that no relay answers gives the next attempt more time, until a relay answers one of them', () => {
    expect(challengePatienceMs(pairedAgent, 6, false)).toEqual([4_000, 4_000, 4_000, 4_000, 15_000, 15_000])
    const stalled = stall(playAgent(pairedAgent, { kind: 'start' }).state).state
    const answered = agentReceives(greeted({ ...stalled, phase: { kind: 'waiting' } }).state, welcomeFrame)
    expect(challengePatienceMs({ ...answered.state, connection: 1 }, 1, false)).toEqual([4_000])
  })

  test('attempts that reach a busy load balancer wait longer and longer, up to a minute', () => {
    const limits = [4_000, 4_000, 4_000, 4_000, 15_000, 30_000, 60_000, 60_000]
    expect(challengePatienceMs(pairedAgent, 8, true)).toEqual(limits)
  })

  test('after an outage, the time limit is long from the first attempt on, because all agents connect at once', () => {
    const { state: refused } = playAgent(
      playAgent(pairedAgent, { kind: 'start' }).state,
      ...[{ kind: 'unreachable', connection: 1, reason: '', isProxied: true } as const],
    )
    expect(challengePatienceMs(refused, 2, false)).toEqual([15_000, 15_000])
    expect(challengePatienceMs(refused, 4, true)).toEqual([15_000, 30_000, 60_000, 60_000])
  })

  test('an open socket without a frame gets the same time as a connection that is not open yet', () => {
    const step = playAgent(
      { ...pairedAgent, stalled: 5, phase: { kind: 'waiting' } },
      { kind: 'timer', timer: 'reconnect' },
    )
    const late = stall(
      playAgent(step.state, { kind: 'reached', connection: 1 }, { kind: 'opened', connection: 1 }).state,
    )
    expect(limitOf(late.effects).toMs).toBe(15_000)
    expect(stall(late.state).state.phase.kind).toBe('waiting')
  })

  /** An agent that has sent its hello. */
  const waiting = (relay: RelayFrame, before: AgentState = pairedAgent) => {
    const { state } = playAgent(before, { kind: 'start' }, { kind: 'timer', timer: 'reconnect' })
    const { connection } = state
    const greeting = playAgent(state, { kind: 'opened', connection }).state
    return playAgent(agentReceives(greeting, relay).state, { kind: 'signed', connection, signature: 'A' })
  }
  const sendsPending: RelayFrame = { ...challengeFrame, sendsPending: true }

  /** Returns how long the agent waits for a frame. The limit has two halves. */
  function patienceMs(step: AgentStep): number[] {
    const halves: number[] = []
    for (let next = step; next.state.phase.kind === 'awaiting-welcome'; next = stall(next.state))
      halves.push(limitOf(next.effects).toMs)
    return halves
  }

  test('an agent stops waiting for an answer after 6 s without a frame, and after 45 s with an older relay', () => {
    expect(patienceMs(waiting(sendsPending))).toEqual([3_000, 3_000])
    expect(patienceMs(waiting(challengeFrame))).toEqual([45_000])
  })

  test('the agent waits longer for answers while the relay answers no connections, because the relay may be busy', () => {
    const limits = [0, 1, 2, 3].map((stalled) =>
      patienceMs(waiting(sendsPending, { ...pairedAgent, stalled, phase: { kind: 'waiting' } })),
    )
    expect(limits.map(([half = 0]) => 2 * half)).toEqual([6_000, 15_000, 45_000, 45_000])
    expect(stall(stall(waiting(sendsPending).state).state).state).toMatchObject({
      phase: { kind: 'waiting' },
      stalled: 1,
    })
  })

  test('a pending frame starts the time limit again, even if it was read late', () => {
    const late = stall(waiting(sendsPending).state)
    expect(patienceMs(agentReceives(late.state, { type: 'pending' }))).toEqual([3_000, 3_000])
    expect(agentReceives(online().state, { type: 'pending' }).effects).toEqual([])
  })
})
