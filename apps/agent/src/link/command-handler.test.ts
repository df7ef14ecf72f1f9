import type { Command, SendCommand } from '@smsgw/contract/link/command'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { JournalError } from '../journal/journal.ts'
import { CommandHandler } from './command-handler.ts'

const refused = new JournalError('a constraint failed', 'refused')
const cancel = (cmdId: string): Command => ({ kind: 'cancel', cmdId })
const send = (cmdId: string): SendCommand => ({
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
})

const ussd: Command = { kind: 'ussd', cmdId: 'u', simNumber: 1, code: '*100#' }

/** @param failureOf returns the error with which the journal answers the commands with these ids */
function handlerWith(failureOf: (cmdIds: readonly string[]) => JournalError | undefined) {
  const errors: unknown[] = []
  const acknowledged: string[] = []
  const write = async (cmdIds: readonly string[]) => {
    const failure = failureOf(cmdIds)
    if (failure !== undefined) throw failure
  }
  const unused = () => Promise.reject(new Error('not part of this test'))
  const handler = new CommandHandler({
    clock: new ManualClock(),
    watch: { onProblem: () => undefined },
    keep: () => write(['newer']),
    sender: { accept: (commands) => write(commands.map(({ cmdId }) => cmdId)), cancel: (cmdId) => write([cmdId]) },
    time: { now: () => ({ wallMs: 0, trusted: true }), local: () => '' } as never,
    journalId: () => 'journal-1',
    sweep: unused,
    ussd: () => new Promise(() => undefined),
    modem: unused,
    examine: unused,
    onError: (error) => void errors.push(error),
  })
  const take = (commands: readonly Command[]) => {
    const taken = handler.take('journal-1', [
      ...commands.map((command) => ({ command })),
      { key: 'later:newer', cmdId: 'newer', problem: 'unknown kind' },
    ])
    for (const keys of taken) void keys.then((some) => acknowledged.push(...some))
  }
  return { take, errors, acknowledged }
}

test.each([
  ['a cancel', 'c', ['send:a', 'send:b', 'cancel:d', 'later:newer', 'ussd:u']],
  ['a message', 'a', ['send:b', 'cancel:c', 'cancel:d', 'later:newer', 'ussd:u']],
  ['an unsupported command', 'newer', ['send:a', 'send:b', 'cancel:c', 'cancel:d', 'ussd:u']],
])('acknowledges the other commands of a claim if the journal refuses %s', async (_, failing, keys) => {
  const { take, errors, acknowledged } = handlerWith((cmdIds) => (cmdIds.includes(failing) ? refused : undefined))
  take([send('a'), send('b'), cancel('c'), cancel('d'), ussd])
  await expect.poll(() => acknowledged.toSorted()).toEqual(keys.toSorted())
  expect(errors).toEqual([refused])
})

test('acknowledges a command that was started while the disk is full for a message', async () => {
  const { take, acknowledged } = handlerWith((cmdIds) =>
    cmdIds.includes('a') ? new JournalError('the disk is full', 'full') : undefined,
  )
  take([send('a'), ussd])
  await expect.poll(() => acknowledged.toSorted()).toEqual(['later:newer', 'ussd:u'])
})
