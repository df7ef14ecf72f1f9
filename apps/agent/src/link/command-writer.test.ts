import type { SendCommand } from '@smsgw/contract/link/command'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { beforeEach, expect, test } from 'vitest'
import { JournalError } from '../journal/journal.ts'
import { CommandWriter } from './command-writer.ts'

const full = new JournalError('the disk is full', 'full')

let clock: ManualClock
let journalId: string
/** Returns the error with which the journal answers the commands with these ids. */
let failureOf: (cmdIds: readonly string[]) => JournalError | undefined
/** The ids of the commands on disk, in the order in which they were written. */
let written: string[]
let acknowledged: string[]
let reports: string[]
let writer: CommandWriter

beforeEach(() => {
  clock = new ManualClock()
  journalId = 'journal-1'
  failureOf = () => undefined
  written = []
  acknowledged = []
  reports = []
  const write = async (cmdIds: readonly string[], names = cmdIds) => {
    await turn()
    const failure = failureOf(cmdIds)
    if (failure !== undefined) throw failure
    written.push(...names)
  }
  writer = new CommandWriter({
    clock,
    journalId: () => journalId,
    sender: {
      accept: (commands) => write(commands.map(({ cmdId }) => cmdId)),
      cancel: (cmdId) => write([cmdId], [`cancel of ${cmdId}`]),
    },
    watch: { onProblem: ({ reason }) => reports.push(reason), onRecovered: () => reports.push('recovered') },
    onError: (error) => reports.push(String(error)),
  })
})

test('writes messages in their order as soon as the disk has space again, and acknowledges them then', async () => {
  failureOf = () => full
  accept('a', 'b')
  await pass(10)
  accept('c')
  await pass(10)
  expect([written, acknowledged]).toEqual([[], []])
  failureOf = () => undefined
  accept('d')
  await pass(1)
  expect(written).toEqual(['a', 'b', 'c', 'd'])
  expect(acknowledged).toEqual(['send:a', 'send:b', 'send:c', 'send:d'])
  expect(reports.at(-1)).toBe('recovered')
})

test('a small write that would fit does not overtake a larger write that failed', async () => {
  failureOf = (cmdIds) => (cmdIds.length > 1 ? full : undefined)
  accept('a', 'b')
  accept('c')
  await pass(5)
  expect(written).toEqual([])
})

test('a message that the relay repeats while the disk is full is written once, and both are acknowledged', async () => {
  failureOf = () => full
  accept('a')
  await pass(3)
  accept('a')
  failureOf = () => undefined
  await pass(1)
  expect(written).toEqual(['a'])
  expect(acknowledged).toEqual(['send:a', 'send:a'])
})

test('a cancel is written after its message', async () => {
  failureOf = () => full
  accept('a')
  void writer.cancel('journal-1', 'a').then((keys) => acknowledged.push(...keys))
  await pass(3)
  failureOf = () => undefined
  await pass(2)
  expect(written).toEqual(['a', 'cancel of a'])
  expect(acknowledged).toEqual(['send:a', 'cancel:a'])
})

test('does not write a message into the journal that replaced its journal', async () => {
  failureOf = () => full
  accept('a')
  void writer.cancel('journal-1', 'x').then((keys) => acknowledged.push(...keys))
  await pass(3)
  journalId = 'journal-2'
  failureOf = () => undefined
  await pass(2)
  expect([written, acknowledged]).toEqual([[], []])
})

test('a message that the journal refuses does not delay the other messages', async () => {
  const refused = new JournalError('a constraint failed', 'refused')
  failureOf = (cmdIds) => (cmdIds.includes('b') ? refused : undefined)
  accept('a', 'b', 'c')
  await pass(0)
  expect(acknowledged).toEqual(['send:a', 'send:c'])
  expect(reports).toEqual([String(refused)])
})

function accept(...cmdIds: readonly string[]): void {
  void writer.accept('journal-1', cmdIds.map(send)).then((keys) => acknowledged.push(...keys))
}

function send(cmdId: string): SendCommand {
  return {
    kind: 'send',
    cmdId,
    messageId: `message-${cmdId}`,
    phoneNumber: '+447700900555',
    content: { text: 'Hello' },
    isEncrypted: false,
    withDeliveryReport: false,
    priority: 0,
    acceptedAt: '2026-01-01T00:00:00.000Z',
    onUncertain: 'resolve',
  }
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second <= seconds; second += 1) {
    for (let turns = 0; turns < 20; turns += 1) await turn()
    if (second < seconds) clock.advance(1000)
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
