import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { beforeEach, expect, test } from 'vitest'
import { SenderFixture, sendCommand } from '../../testing/sender-fixture.ts'
import { defaultSendingSettings, type SendingSettings } from './sending-settings.ts'

const minute = 60_000
let world: SenderFixture
beforeEach(() => {
  world = new SenderFixture()
})

const noStates = () => undefined
const report = (stateOf: (simNumber: number) => string | undefined = noStates): WaitingReport =>
  world.sender.waitingReport(stateOf)
const reasons = (stateOf?: (simNumber: number) => string | undefined) =>
  Object.fromEntries(report(stateOf).messages.flatMap(({ cmdIds, ...reason }) => cmdIds.map((id) => [id, reason])))
const use = (pace: Partial<SendingSettings['pace']>) =>
  world.sender.use({ ...defaultSendingSettings, pace: { ...defaultSendingSettings.pace, ...pace } })
const isoIn = (ms: number) => new Date(Math.round((world.clock.epochMs() + ms) / 1000) * 1000).toISOString()
const unknown: SubmitOutcome = { kind: 'unknown', why: 'no-answer' } as never

test('reports nothing while no message waits', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'))
  await world.pass(10)
  expect(report()).toEqual({ sims: [], messages: [] })
})

test('reports earlier_outcome_unknown for two minutes after a doubt begins', async () => {
  world.outcomes.push(unknown)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'), sendCommand('b'), sendCommand('c', { phoneNumber: '+447700900999' }))
  await world.pass(100)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of a', 'text of c'])
  expect(reasons()).toEqual({
    a: { reason: 'outcome_unknown', until: expect.any(String) },
    b: { reason: 'earlier_outcome_unknown', until: expect.any(String) },
  })
  const { a, b } = reasons()
  expect(Date.parse(String(a?.until)) - Date.parse(String(b?.until))).toBe(13 * minute)
  await world.pass(3 * minute)
  expect(Object.keys(reasons())).toEqual(['a'])
  await world.pass(15 * minute)
  expect(report()).toEqual({ sims: [], messages: [] })
})

test('after a restart, reports doubts again, and the messages that wait for them', async () => {
  world.outcomes.push(unknown)
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  await world.accept(sendCommand('a'), sendCommand('b'))
  await world.pass(100)
  await world.restart()
  expect(reasons()).toMatchObject({ b: { reason: 'relay_unreachable' } })
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  await world.pass(10)
  expect(reasons()).toMatchObject({ a: { reason: 'outcome_unknown' }, b: { reason: 'earlier_outcome_unknown' } })
})

test('reports limit, pause and work hours with their end, and lets urgent messages pass', async () => {
  await world.sender.simReady(world.sim(1))
  use({ limit: { periodMs: 60 * minute, value: 1 } })
  await world.accept(sendCommand('a'), sendCommand('b'), sendCommand('c'))
  await world.pass(10)
  expect(report()).toMatchObject({
    sims: [{ simNumber: 1, reason: 'limit', until: isoIn(60 * minute) }],
    anySim: { reason: 'limit' },
    messages: [{ reason: 'limit', until: isoIn(60 * minute), simNumber: 1, cmdIds: ['b', 'c'] }],
  })
  use({ intervalMinMs: 10 * minute, intervalMaxMs: 10 * minute })
  await world.pass(10)
  expect(reasons()).toMatchObject({ c: { reason: 'pause', simNumber: 1 } })
  use({ workHours: { startMinute: 0, endMinute: 1 } })
  expect(reasons()).toMatchObject({ c: { reason: 'work_hours', until: expect.any(String) } })
  await world.accept(sendCommand('now', { priority: 100 }))
  await world.pass(10)
  expect(world.sent.at(-1)?.text).toBe('text of now')
  use({})
  await world.pass(10)
  expect(report()).toEqual({ sims: [], messages: [] })
})

test('distinguishes no network, a locked SIM, a missing modem and a starting modem', async () => {
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  world.sender.simsKnown([1])
  world.sender.simLostNetwork(sim)
  await world.accept(sendCommand('a'), sendCommand('one', { simNumber: 1 }))
  await world.pass(10)
  expect(reasons()).toEqual({ a: { reason: 'no_network', simNumber: 1 }, one: { reason: 'no_network', simNumber: 1 } })
  expect(reasons(() => 'roaming')).toMatchObject({ a: { reason: 'roaming', simNumber: 1 } })
  world.sender.simGone(sim)
  await world.pass(10)
  for (const [state, reason] of [
    ['absent', 'modem_missing'],
    ['searching', 'no_network'],
    ['denied', 'no_network'],
    ['roaming', 'roaming'],
    ['locked', 'sim_locked'],
    ['puk', 'sim_locked'],
    ['starting', 'modem_busy'],
    ['failed', 'modem_busy'],
  ] as const)
    expect(reasons(() => state)).toEqual({ a: { reason, simNumber: 1 }, one: { reason, simNumber: 1 } })
  await world.sender.simReady(world.sim(1))
  await world.pass(10)
  expect(report()).toEqual({ sims: [], messages: [] })
})

test('reports retry after a temporary refusal, and modem_busy after a modem accepted nothing', async () => {
  await world.sender.simReady(world.sim(1))
  const refused: SubmitOutcome = {
    kind: 'refused',
    error: { source: 'cms', code: 41, text: '', class: 'temporary', words: 'Busy.', advice: 'Wait.' },
  } as never
  world.outcomes.push(refused)
  await world.accept(sendCommand('a'))
  await world.pass(10)
  expect(reasons()).toMatchObject({ a: { reason: 'retry', until: expect.any(String), simNumber: 1 } })
  world.outcomes.push({ kind: 'not-sent', why: 'port-lost' } as never)
  await world.accept(sendCommand('b', { phoneNumber: '+447700900777' }))
  expect(reasons()).toMatchObject({ b: { reason: 'modem_busy', simNumber: 1 } })
})

test('reports queued for the messages behind the one that is being sent, and modem_busy for all of them after a while', async () => {
  const sim = world.sim(1)
  await world.sender.simReady({
    ...sim,
    submit: async (_, options) => {
      await options.beforePdu({ cancelled: false })
      return new Promise(() => undefined)
    },
  })
  await world.accept(sendCommand('a'), sendCommand('b', { phoneNumber: '+447700900777' }))
  await world.pass(10_000)
  expect(reasons()).toEqual({ b: { reason: 'queued' } })
  await world.pass(10_000)
  expect(reasons()).toEqual({
    a: { reason: 'modem_busy', simNumber: 1 },
    b: { reason: 'modem_busy', simNumber: 1 },
  })
})

test('reports clock_unknown without an end while the clock cannot be trusted', async () => {
  world.time.trusted = false
  await world.sender.simReady(world.sim(1))
  use({ workHours: { startMinute: 0, endMinute: 1 } })
  await world.accept(sendCommand('deadline', { validUntil: world.iso(60 * minute) }), sendCommand('any'))
  expect(reasons()).toEqual({ deadline: { reason: 'clock_unknown' }, any: { reason: 'clock_unknown' } })
  world.time.trusted = true
  use({})
  world.sender.timeChanged()
  await world.pass(10)
  expect(report().messages).toEqual([])
})
