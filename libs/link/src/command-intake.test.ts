import { expect, test } from 'vitest'
import { commandsOnDisk, emptyIntake, nextCredit, type SendQueue, takeCommand } from './command-intake.ts'
import type { ReceivedCommand } from './received-command.ts'

const queue: SendQueue = { open: 0, journaling: [], capacity: 8, urgent: 2 }
const unknown = (cmdId: string): ReceivedCommand => ({ key: `send:${cmdId}`, cmdId, problem: 'unknown' })
const cancel: ReceivedCommand = { command: { kind: 'cancel', cmdId: 'a' } }

const credit = (limit: number, urgentLimit: number) => ({ limit, urgentLimit })

test('the first credit is all the room there is', () => {
  expect(nextCredit(emptyIntake, { ...queue, open: 3 })).toEqual(credit(5, 7))
  expect(nextCredit(emptyIntake, { ...queue, open: 9 })).toEqual(credit(0, 1))
  expect(nextCredit(emptyIntake, { ...queue, open: 90 })).toEqual(credit(0, 0))
})

test('what is being written takes room, also when an earlier connection brought it', () => {
  expect(nextCredit(emptyIntake, { ...queue, journaling: ['send:a', 'cancel:b'] })).toMatchObject({ limit: 7 })
})

test('small gains are kept back until they are needed', () => {
  const intake = { received: 3, credit: { limit: 8, urgentLimit: 10 }, isRested: true }
  expect(nextCredit(intake, { ...queue, open: 2 })).toBeUndefined()
  expect(nextCredit(intake, { ...queue, open: 1 })).toEqual(credit(10, 12))
  expect(nextCredit({ ...intake, received: 8 }, { ...queue, open: 7 })).toEqual(credit(9, 11))
})

test('credit is not announced again at once, however much room there is', () => {
  const intake = { received: 8, credit: { limit: 8, urgentLimit: 10 }, isRested: false }
  expect(nextCredit(intake, { ...queue, open: 7 })).toBeUndefined()
  expect(nextCredit(intake, { ...queue, open: 0 })).toBeUndefined()
  expect(nextCredit({ ...intake, isRested: true }, { ...queue, open: 7 })).toEqual(credit(9, 11))
})

test('sends count, cancels do not, and a repetition takes no second place', () => {
  const one = takeCommand(emptyIntake, queue, unknown('a'))
  if (one === 'too-much') throw new Error('unexpected')
  const two = takeCommand(one.intake, one.queue, unknown('a'))
  expect(two).toMatchObject({ intake: { received: 2 }, queue: { journaling: ['send:a'] } })
  expect(takeCommand(emptyIntake, queue, cancel)).toMatchObject({
    intake: { received: 0 },
    queue: { journaling: ['cancel:a'] },
  })
})

test('a relay that keeps to no credit is stopped', () => {
  const journaling = Array.from({ length: 512 }, (_, number) => `send:${number}`)
  expect(takeCommand(emptyIntake, { ...queue, journaling }, unknown('a'))).toBe('too-much')
})

test('what is on disk waits no longer', () => {
  expect(commandsOnDisk({ ...queue, journaling: ['send:a', 'send:b'] }, ['send:a'], 4)).toMatchObject({
    open: 4,
    journaling: ['send:b'],
  })
})

test('sends far beyond the credit are refused, whether they are on disk or not', () => {
  const full = { ...queue, open: 39, journaling: ['send:x'] }
  expect(takeCommand(emptyIntake, full, unknown('a'))).toBe('too-much')
  expect(takeCommand(emptyIntake, { ...full, open: 38 }, unknown('a'))).not.toBe('too-much')
  expect(takeCommand(emptyIntake, full, cancel)).not.toBe('too-much')
})
