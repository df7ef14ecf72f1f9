import { expect, test } from 'vitest'
import {
  type CommandIntake,
  commandsOnDisk,
  emptyIntake,
  nextCredit,
  type SendQueue,
  takeCommand,
  tickIntake,
} from './command-intake.ts'
import type { ReceivedCommand } from './received-command.ts'

const queue: SendQueue = { open: 0, journaling: [], capacity: 8, urgent: 2 }
const unknown = (cmdId: string): ReceivedCommand => ({ key: `send:${cmdId}`, cmdId, problem: 'unknown' })
const cancel: ReceivedCommand = { command: { kind: 'cancel', cmdId: 'a' } }

const told = (limit: number, urgentLimit: number, isSmall = false) => ({ credit: { limit, urgentLimit }, isSmall })

test('the first credit is all the room there is', () => {
  expect(nextCredit(emptyIntake, { ...queue, open: 3 })).toEqual(told(5, 7))
  expect(nextCredit(emptyIntake, { ...queue, open: 9 })).toEqual(told(0, 1))
  expect(nextCredit(emptyIntake, { ...queue, open: 90 })).toEqual(told(0, 0))
})

test('what is being written takes room, also when an earlier connection brought it', () => {
  expect(nextCredit(emptyIntake, { ...queue, journaling: ['send:a', 'cancel:b'] })).toMatchObject({
    credit: { limit: 7 },
  })
})

test('small gains are kept back until they are needed', () => {
  const intake = { received: 3, credit: { limit: 8, urgentLimit: 10 }, others: 0, isRested: true }
  expect(nextCredit(intake, { ...queue, open: 2 })).toBeUndefined()
  expect(nextCredit(intake, { ...queue, open: 1 })).toEqual(told(10, 12))
  expect(nextCredit({ ...intake, received: 8 }, { ...queue, open: 7 })).toEqual(told(9, 11, true))
})

test('a relay that has used up its credit is not told of each single place', () => {
  const intake = { received: 8, credit: { limit: 8, urgentLimit: 10 }, others: 0, isRested: false }
  expect(nextCredit(intake, { ...queue, open: 7 })).toBeUndefined()
  expect(nextCredit(intake, { ...queue, open: 6 })).toEqual(told(10, 12))
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

test('a flood of other commands is refused, and a bulk of cancels now and then is not', () => {
  let intake: CommandIntake = emptyIntake
  const take = () => {
    const taken = takeCommand(intake, queue, cancel)
    if (taken !== 'too-much') intake = taken.intake
    return taken !== 'too-much'
  }
  expect(Array.from({ length: 1_000 }, take).every(Boolean)).toBe(true)
  expect(take()).toBe(false)
  intake = tickIntake(intake)
  expect(Array.from({ length: 50 }, take).every(Boolean)).toBe(true)
  expect(take()).toBe(false)
})
