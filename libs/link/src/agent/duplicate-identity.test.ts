import { expect, test } from 'vitest'
import { kindsOf, online, paired, play } from '../testing/agent-script.ts'
import type { AgentState } from './state.ts'

/** Connections in turns: each finds the other one's before its own. */
function quarrel(rounds: number, previousBootId: (round: number) => string | undefined) {
  let state: AgentState = paired
  const told: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const step = online(state, { connEpoch: 10 + round * 2, previousBootId: previousBootId(round) })
    told.push(...kindsOf(step.effects).filter((kind) => kind === 'connected' || kind === 'stopped'))
    const { connection } = step.state
    state = play(step.state, { kind: 'closed', connection, code: 4409, reason: '' }).state
  }
  return { told, phase: state.phase.kind }
}

test('two that push each other out stop, after having pushed a few times more for the other one to see', () => {
  const { told, phase } = quarrel(7, () => 'another boot')
  expect(told).toEqual([...Array(3).fill('connected'), ...Array(4).fill('stopped')])
  expect(phase).toBe('stopped')
})

test('a relay that does not tell whose connection was before is found out by its count', () => {
  expect(quarrel(4, () => undefined).told).toContain('stopped')
})

test('the process before this one is no stranger', () => {
  expect(quarrel(2, (round) => (round === 0 ? 'before the restart' : 'boot')).told).not.toContain('stopped')
})

test('whom a restored database remembers is no stranger', () => {
  let state: AgentState = paired
  for (const streamId of ['a', 'b', 'c', 'd', 'e']) {
    const step = online({ ...state, outbox: paired.outbox }, { streamId, previousBootId: 'long gone', connEpoch: 90 })
    expect(kindsOf(step.effects)).toContain('connected')
    state = play(step.state, { kind: 'closed', connection: step.state.connection, code: 1006, reason: '' }).state
  }
})

test('a hello of its own that was heard late is no stranger', () => {
  const { state: unheard } = online()
  let state: AgentState = { ...unheard, duplicate: { ...unheard.duplicate, hellos: unheard.duplicate.hellos + 3 } }
  for (const connEpoch of [9, 11, 13]) {
    state = play(state, { kind: 'closed', connection: state.connection, code: 1006, reason: '' }).state
    state = online(state, { connEpoch, previousBootId: 'boot' }).state
    expect(state.duplicate.takeovers).toBe(0)
  }
})
