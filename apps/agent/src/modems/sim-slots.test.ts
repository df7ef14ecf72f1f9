import { expect, test } from 'vitest'
import type { Json } from '../journal/change.ts'
import { SimSlots } from './sim-slots.ts'

const nobody = () => false
const kept = (change: unknown) => (change as { value: Json }).value

test('a new modem gets the lowest free number and keeps it across restarts', () => {
  const slots = new SimSlots(undefined)
  expect(slots.numberOf('a', nobody)).toMatchObject({ simNumber: 1, change: { kind: 'note', name: 'sim-slots' } })
  const { change } = slots.numberOf('b', nobody)
  const later = new SimSlots(kept(change))
  expect(later.numberOf('b', nobody)).toEqual({ simNumber: 2, change: undefined })
  expect(later.numberOf('c', nobody)).toMatchObject({ simNumber: 3 })
  expect(later.numbers).toEqual([1, 2, 3])
})

test('the SIM number of a listed modem is its position in MODEMS, unless that number is taken', () => {
  const slots = new SimSlots(undefined)
  expect(slots.numberOf('second', nobody, 2).simNumber).toBe(2)
  expect(slots.numberOf('first', nobody, 1).simNumber).toBe(1)
  expect(slots.numberOf('first', nobody, 3).simNumber).toBe(1)
  expect(slots.numberOf('other', nobody, 2).simNumber).toBe(3)
})

test('reports a different card together with the previous card, and stores it', () => {
  const slots = new SimSlots(undefined)
  slots.numberOf('a', nobody)
  expect(slots.cardSeen('a', 'card-1').before).toBeUndefined()
  expect(slots.cardSeen('a', 'card-1')).toEqual({ before: undefined, change: undefined })
  const { before, change } = slots.cardSeen('a', 'card-2')
  expect(before).toBe('card-1')
  const later = new SimSlots(kept(change))
  expect(later.cardSeen('a', 'card-3').before).toBe('card-2')
  expect(later.numberOf('a', nobody)).toEqual({ simNumber: 1, change: undefined })
})

test('stores which modems are virtual, and whether a real modem was ever used', () => {
  const slots = new SimSlots(undefined)
  for (const modem of ['emulated', 'real', 'unread']) slots.numberOf(modem, nobody)
  expect(slots.emulationSeen('emulated', true)).toMatchObject({ kind: 'note', name: 'sim-slots' })
  expect(slots.emulationSeen('emulated', true)).toBeUndefined()
  expect(slots.hasRealModem).toBe(false)
  const change = slots.emulationSeen('real', false)
  const later = new SimSlots(kept(change))
  expect(['emulated', 'real', 'unread'].map((modem) => later.isEmulated(modem))).toEqual([true, false, undefined])
  expect([1, 2, 3].map((simNumber) => later.isEmulatedSim(simNumber))).toEqual([true, false, false])
  expect(later.hasRealModem).toBe(true)
})

test('when all numbers are taken, a new modem replaces the oldest disconnected one', () => {
  const slots = new SimSlots(undefined)
  for (let modem = 1; modem <= 64; modem += 1) slots.numberOf(`35693803564${String(modem).padStart(3, '0')}`, nobody)
  const isHere = (modem: string) => modem.endsWith('001')
  expect(slots.numberOf('new', isHere).simNumber).toBe(2)
  expect(slots.numbers).toHaveLength(64)
})
