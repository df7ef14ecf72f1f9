import { expect, test } from 'vitest'
import { acceptCommand, commandsOnDisk, emptyInbox, nextCredit, type SendQueue } from './command-inbox.ts'
import type { ReceivedCommand } from './received-command.ts'

const queue: SendQueue = { open: 0, journaling: [], capacity: 8, urgent: 2 }
const unknown = (cmdId: string): ReceivedCommand => ({ key: `send:${cmdId}`, cmdId, problem: 'unknown' })
const cancel: ReceivedCommand = { command: { kind: 'cancel', cmdId: 'a' } }

const credit = (limit: number, urgentLimit: number) => ({ limit, urgentLimit })

test('the first credit is the whole capacity', () => {
  expect(nextCredit(emptyInbox, { ...queue, open: 3 })).toEqual(credit(5, 7))
  expect(nextCredit(emptyInbox, { ...queue, open: 9 })).toEqual(credit(0, 1))
  expect(nextCredit(emptyInbox, { ...queue, open: 90 })).toEqual(credit(0, 0))
})

test('commands that are being written use capacity, even commands of an earlier connection', () => {
  expect(nextCredit(emptyInbox, { ...queue, journaling: ['send:a', 'cancel:b'] })).toMatchObject({ limit: 7 })
})

test('announces small increases of the credit only when they are needed', () => {
  const inbox = { received: 3, credit: { limit: 8, urgentLimit: 10 }, mayAnnounce: true }
  expect(nextCredit(inbox, { ...queue, open: 2 })).toBeUndefined()
  expect(nextCredit(inbox, { ...queue, open: 1 })).toEqual(credit(10, 12))
  expect(nextCredit({ ...inbox, received: 8 }, { ...queue, open: 7 })).toEqual(credit(9, 11))
})

test('does not announce credit again at once, even if much capacity is free', () => {
  const inbox = { received: 8, credit: { limit: 8, urgentLimit: 10 }, mayAnnounce: false }
  expect(nextCredit(inbox, { ...queue, open: 7 })).toBeUndefined()
  expect(nextCredit(inbox, { ...queue, open: 0 })).toBeUndefined()
  expect(nextCredit({ ...inbox, mayAnnounce: true }, { ...queue, open: 7 })).toEqual(credit(9, 11))
})

test('counts sends but not cancels, and counts a repeated send only once', () => {
  const one = acceptCommand(emptyInbox, queue, unknown('a'))
  if (one === 'too-much') throw new Error('unexpected')
  const two = acceptCommand(one.inbox, one.queue, unknown('a'))
  expect(two).toMatchObject({ inbox: { received: 2 }, queue: { journaling: ['send:a'] } })
  expect(acceptCommand(emptyInbox, queue, cancel)).toMatchObject({
    inbox: { received: 0 },
    queue: { journaling: ['cancel:a'] },
  })
})

test('refuses commands far beyond the credit', () => {
  const journaling = Array.from({ length: 512 }, (_, number) => `send:${number}`)
  expect(acceptCommand(emptyInbox, { ...queue, journaling }, unknown('a'))).toBe('too-much')
})

test('removes commands that are on disk', () => {
  expect(commandsOnDisk({ ...queue, journaling: ['send:a', 'send:b'] }, ['send:a'], 4)).toMatchObject({
    open: 4,
    journaling: ['send:b'],
  })
})

test('refuses sends far beyond the credit, whether they are on disk or not', () => {
  const full = { ...queue, open: 39, journaling: ['send:x'] }
  expect(acceptCommand(emptyInbox, full, unknown('a'))).toBe('too-much')
  expect(acceptCommand(emptyInbox, { ...full, open: 38 }, unknown('a'))).not.toBe('too-much')
  expect(acceptCommand(emptyInbox, full, cancel)).not.toBe('too-much')
})
