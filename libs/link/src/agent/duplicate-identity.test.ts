import { expect, test } from 'vitest'
import { kindsOf, online, pairedAgent, playAgent } from '../testing/agent-script.ts'
import type { AgentState } from './state.ts'

/** Reconnects several times. Another agent was connected before each of these connections. */
function reconnect(rounds: number, previousBootId: (round: number) => string | undefined) {
  let state: AgentState = pairedAgent
  const kinds: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const step = online(state, { connEpoch: 10 + round * 2, previousBootId: previousBootId(round) })
    kinds.push(...kindsOf(step.effects).filter((kind) => kind === 'connected' || kind === 'stopped'))
    const { connection } = step.state
    state = playAgent(step.state, { kind: 'closed', connection, code: 4409, reason: '' }).state
  }
  return { kinds, phase: state.phase.kind }
}

test('stops after three takeovers, and reconnects three more times so that the other agent detects the duplicate too', () => {
  const { kinds, phase } = reconnect(7, () => 'another boot')
  expect(kinds).toEqual([...Array(3).fill('connected'), ...Array(4).fill('stopped')])
  expect(phase).toBe('stopped')
})

test('detects the other agent by the number of connections when the boot id is missing', () => {
  expect(reconnect(4, () => undefined).kinds).toContain('stopped')
})

test('does not count the previous process of this agent', () => {
  expect(reconnect(2, (round) => (round === 0 ? 'before the restart' : 'boot')).kinds).not.toContain('stopped')
})

test('does not count a boot id from a restored database', () => {
  let state: AgentState = pairedAgent
  for (const streamId of ['a', 'b', 'c', 'd', 'e']) {
    const step = online(
      { ...state, outbox: pairedAgent.outbox },
      { streamId, previousBootId: 'long gone', connEpoch: 90 },
    )
    expect(kindsOf(step.effects)).toContain('connected')
    state = playAgent(step.state, { kind: 'closed', connection: step.state.connection, code: 1006, reason: '' }).state
  }
})

test('does not count its own hello that was processed late', () => {
  const { state: late } = online()
  let state: AgentState = { ...late, duplicate: { ...late.duplicate, hellos: late.duplicate.hellos + 3 } }
  for (const connEpoch of [9, 11, 13]) {
    state = playAgent(state, { kind: 'closed', connection: state.connection, code: 1006, reason: '' }).state
    state = online(state, { connEpoch, previousBootId: 'boot' }).state
    expect(state.duplicate.takeovers).toBe(0)
  }
})
