import type { Command, SendCommand } from '@smsgw/contract/link/command'
import { expect, test } from 'vitest'
import { JournalError } from '../journal/journal.ts'
import { CommandHandler } from './command-handler.ts'

const full = new JournalError('the disk is full', 'full')
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

/** @param failureOf returns the error with which the journal answers the commands with these ids */
function handlerWith(failureOf: (cmdIds: readonly string[]) => JournalError | undefined) {
  const errors: unknown[] = []
  const write = async (cmdIds: readonly string[]) => {
    const failure = failureOf(cmdIds)
    if (failure !== undefined) throw failure
  }
  const unused = () => Promise.reject(new Error('not part of this test'))
  const handler = new CommandHandler({
    journal: {
      write: async () => {
        await write(['newer'])
        return { seqs: [], tags: [], fresh: [] }
      },
    } as never,
    sender: { accept: (commands) => write(commands.map(({ cmdId }) => cmdId)), cancel: (cmdId) => write([cmdId]) },
    time: { now: () => ({ wallMs: 0, trusted: true }), local: () => '' } as never,
    journalId: () => 'journal-1',
    sweep: unused,
    ussd: unused,
    modem: unused,
    examine: unused,
    onError: (error) => void errors.push(error),
  })
  const take = (commands: readonly Command[]) =>
    handler.take('journal-1', [
      ...commands.map((command) => ({ command })),
      { key: 'later:newer', cmdId: 'newer', problem: 'unknown kind' },
    ])
  return { take, errors }
}

test.each([
  ['a cancel', 'c', ['send:a', 'send:b', 'cancel:d', 'later:newer']],
  ['a refusal', 'newer', ['send:a', 'send:b', 'cancel:c', 'cancel:d']],
  ['a send', 'a', ['cancel:c', 'cancel:d', 'later:newer']],
])('acknowledges the other commands of a claim if %s cannot be written', async (_, failing, keys) => {
  const { take, errors } = handlerWith((cmdIds) => (cmdIds.includes(failing) ? full : undefined))
  expect(await take([send('a'), send('b'), cancel('c'), cancel('d')])).toEqual(keys)
  expect(errors).toEqual([full])
})

test('a message that the journal refuses does not delay the other messages of its claim', async () => {
  const { take, errors } = handlerWith((cmdIds) => (cmdIds.includes('b') ? refused : undefined))
  expect(await take([send('a'), send('b'), send('c')])).toEqual(['send:a', 'send:c', 'later:newer'])
  expect(errors).toEqual([refused])
})
