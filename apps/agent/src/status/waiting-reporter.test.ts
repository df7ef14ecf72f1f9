import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { beforeEach, expect, test } from 'vitest'
import { WaitingReporter } from './waiting-reporter.ts'

let clock: ManualClock
let open: string[]
let reason: { readonly reason: string; readonly until?: string } | undefined
let sent: WaitingReport[]
let reporter: WaitingReporter
beforeEach(() => {
  clock = new ManualClock()
  open = []
  reason = undefined
  sent = []
  reporter = new WaitingReporter({
    clock,
    openIds: () => open,
    report: (isCounted) => {
      const cmdIds = open.filter(isCounted)
      return { sims: [], messages: reason === undefined || cmdIds.length === 0 ? [] : [{ ...reason, cmdIds }] }
    },
    send: (report) => sent.push(report),
  })
  reporter.connected()
})

const pass = (seconds: number) => {
  for (let second = 0; second < seconds; second += 1) clock.advance(1_000)
}

test('reports nothing when thousands of messages are sent without delay', () => {
  for (let count = 0; count < 1_000; count += 1) {
    open = [`m${count}`]
    clock.advance(1_000)
  }
  open = []
  pass(60)
  expect(sent).toEqual([])
})

test('reports a reason once and its end once', () => {
  open = ['a']
  reason = { reason: 'limit' }
  pass(4)
  expect(sent).toEqual([])
  pass(600)
  expect(sent).toEqual([{ sims: [], messages: [{ reason: 'limit', cmdIds: ['a'] }] }])
  open = []
  pass(600)
  expect(sent.slice(1)).toEqual([{ sims: [], messages: [] }])
})

test('describes 10 000 queued messages in one report, and a change of all these messages in one more report', () => {
  open = Array.from({ length: 10_000 }, (_, at) => `m${at}`)
  reason = { reason: 'limit' }
  pass(600)
  reason = { reason: 'work_hours' }
  pass(600)
  expect(sent).toHaveLength(2)
})

test('reports every 30 s which messages are still queued, and at once that none is', () => {
  open = Array.from({ length: 60 }, (_, at) => `m${at}`)
  reason = { reason: 'queued' }
  for (let second = 0; second < 120; second += 1) {
    if (second % 4 === 0) open = open.slice(1)
    clock.advance(1_000)
  }
  expect(sent.length).toBeGreaterThanOrEqual(4)
  expect(sent.length).toBeLessThanOrEqual(5)
  const before = sent.length
  open = []
  pass(5)
  expect(sent.slice(before)).toEqual([{ sims: [], messages: [] }])
})

test('reports consecutive pauses once', () => {
  open = ['a']
  for (let until = 0; until < 20; until += 1) {
    reason = { reason: 'pause', until: new Date(until * 10_000).toISOString() }
    pass(10)
  }
  expect(sent).toHaveLength(1)
})

test('reports again on a new connection, and nothing while disconnected', () => {
  open = ['a']
  reason = { reason: 'no_network' }
  pass(20)
  reporter.disconnected()
  pass(20)
  expect(sent).toHaveLength(1)
  reporter.connected()
  pass(20)
  expect(sent).toHaveLength(2)
})
