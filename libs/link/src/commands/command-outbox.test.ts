import type { Command } from '@smsgw/contract/link/command'
import { expect, test } from 'vitest'
import {
  acknowledged,
  type CommandOutbox,
  claimed,
  claimFailed,
  emptyOutbox,
  grant,
  nextClaim,
  nextCommands,
  requestClaim,
  tickCommands,
} from './command-outbox.ts'

const send = (cmdId: string, priority = 0, text = 'x'): Command => ({
  kind: 'send',
  cmdId,
  messageId: cmdId,
  phoneNumber: '1',
  content: { text },
  isEncrypted: false,
  withDeliveryReport: false,
  priority,
  acceptedAt: '2026-01-01T00:00:00Z',
  onUncertain: 'resolve',
})
const cancel = (cmdId: string): Command => ({ kind: 'cancel', cmdId })
const granted = grant(emptyOutbox, 2, 3)
const sent = (outbox: CommandOutbox, ...commands: readonly Command[]) => nextCommands(claimed(outbox, commands))
const idsIn = (texts: readonly string[]) => texts.map((text) => JSON.parse(text).command.cmdId)

test('claims nothing before the first credit', () => {
  expect(nextClaim(emptyOutbox)).toBeUndefined()
  expect(nextClaim(granted)?.room).toEqual({ sends: 2, urgentSends: 3, others: 64 })
})

test('makes one claim at a time, and another claim when the previous claim has returned commands', () => {
  const claiming = nextClaim(granted)?.outbox as CommandOutbox
  expect(nextClaim(requestClaim(claiming, 'any'))).toBeUndefined()
  const resumed = claimed(claiming, [])
  const empty = claimed(nextClaim(resumed)?.outbox as CommandOutbox, [])
  expect(nextClaim(empty)).toBeUndefined()
  expect(nextClaim(requestClaim(empty, 'any'))).toBeDefined()
})

test('respects the credit, reserves capacity for urgent messages, and sends cancels without credit', () => {
  const { outbox, texts } = sent(granted, send('a'), send('b'), send('c'), send('d', 100), cancel('a'))
  expect(idsIn(texts)).toEqual(['a', 'b', 'd', 'a'])
  expect(outbox.waiting).toMatchObject([{ cmdId: 'c' }])
  expect(idsIn(nextCommands(grant(outbox, 4, 5)).texts)).toEqual(['c'])
})

test('the credit never decreases', () => {
  expect(grant(granted, 1, 1)).toMatchObject({ limit: 2, urgentLimit: 3 })
})

test('after more credit, claims again if the last claim used all the credit', () => {
  const full = claimed(nextClaim(granted)?.outbox as CommandOutbox, [send('a'), send('b')])
  const asked = claimed(nextClaim(nextCommands(full).outbox)?.outbox as CommandOutbox, [])
  expect(nextClaim(asked)).toBeUndefined()
  expect(nextClaim(grant(asked, 3, 4))?.room).toMatchObject({ sends: 1 })
})

test('without credit, claims urgent messages and cancels; claims an ordinary message only after more credit', () => {
  const resumed = claimed(nextClaim(granted)?.outbox as CommandOutbox, [])
  const full = nextCommands(claimed(nextClaim(resumed)?.outbox as CommandOutbox, [send('a'), send('b')])).outbox
  const ordinary = requestClaim(full, 'ordinary-sends')
  expect(nextClaim(ordinary)).toBeUndefined()
  expect(nextClaim(grant(ordinary, 3, 4))?.room).toMatchObject({ sends: 1, urgentSends: 2 })
  expect(nextClaim(requestClaim(ordinary, 'any'))?.room).toMatchObject({ sends: 0, urgentSends: 1 })
  expect(requestClaim(requestClaim(full, 'any'), 'ordinary-sends').due).toBe('any')
})

test('resumes after a claim whose answer was lost', () => {
  const resumed = claimed(nextClaim(granted)?.outbox as CommandOutbox, [])
  const failed = claimFailed(nextClaim(resumed)?.outbox as CommandOutbox)
  expect(nextClaim(failed)).toBeUndefined()
  expect(nextClaim(requestClaim(failed, 'any'))?.outbox.isResumed).toBe(false)
})

test('resumes every 30 s after a claim failed, because its transaction may be committed at any later time', () => {
  const resumed = claimed(nextClaim(granted)?.outbox as CommandOutbox, [], true)
  let outbox = claimed(claimFailed(nextClaim(requestClaim(resumed, 'any'))?.outbox as CommandOutbox), [], true)
  const resumesAt: number[] = []
  for (let tick = 1; tick <= 19; tick += 1) {
    outbox = tickCommands(outbox)
    const claim = nextClaim(outbox)
    if (claim === undefined) continue
    expect(outbox.isResumed).toBe(false)
    resumesAt.push(tick)
    outbox = claimed(claim.outbox, [], true)
  }
  expect(resumesAt).toEqual([6, 12, 18])
  let healthy = resumed
  for (let tick = 1; tick <= 19; tick += 1) healthy = tickCommands(healthy)
  expect(nextClaim(healthy)).toBeUndefined()
})

test('resumes after 30 s even if another claim is in progress at each tick', () => {
  let outbox = claimed(claimFailed(nextClaim(granted)?.outbox as CommandOutbox), [])
  for (let tick = 1; tick <= 7; tick += 1) {
    const busy = nextClaim(requestClaim(outbox, 'any'))?.outbox as CommandOutbox
    outbox = claimed(requestClaim(tickCommands(busy), 'any'), [])
    expect([tick, outbox.isResumed]).toEqual([tick, tick !== 6])
  }
})

test('does not repeat a command that is in flight', () => {
  const { outbox } = sent(granted, send('a'), cancel('b'))
  expect(sent(outbox, send('a'), cancel('b'), cancel('a')).texts).toHaveLength(1)
})

test('limits commands in flight by number and size, but allows one large command', () => {
  const rich = grant(emptyOutbox, 1_000, 1_000)
  const many = sent(rich, ...Array.from({ length: 100 }, (_, number) => send(`${number}`)))
  expect(many.texts).toHaveLength(64)
  expect(nextCommands(acknowledged(many.outbox, ['send:0', 'send:1'])).texts).toHaveLength(2)
  const large = sent(rich, ...Array.from({ length: 10 }, (_, number) => send(`${number}`, 0, 'x'.repeat(200_000))))
  expect(large.texts).toHaveLength(5)
})

test('returns commands that do not fit into a frame', () => {
  const { texts, tooLarge, outbox } = sent(granted, send('a', 0, '\u0001'.repeat(65_535)), send('b'))
  expect(tooLarge).toMatchObject([{ cmdId: 'a' }])
  expect(idsIn(texts)).toEqual(['b'])
  expect(outbox.waiting).toEqual([])
})

test('counts ticks only while commands are in flight', () => {
  expect(tickCommands(granted).unacknowledgedTicks).toBe(0)
  const { outbox } = sent(granted, send('a'), send('b'))
  const late = tickCommands(tickCommands(outbox))
  expect(late.unacknowledgedTicks).toBe(2)
  expect(acknowledged(late, ['send:unknown']).unacknowledgedTicks).toBe(2)
  expect(acknowledged(late, ['send:a']).unacknowledgedTicks).toBe(0)
})
