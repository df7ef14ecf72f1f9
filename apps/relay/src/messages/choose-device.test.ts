import { expect, test } from 'vitest'
import { chooseDevice, type DeviceOnRoster, type DeviceWish } from './choose-device.ts'

const now = new Date('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const online = { leaseUntil: minutesAgo(-1), lastSeen: now }

function device(id: string, about: Partial<DeviceOnRoster> = {}): DeviceOnRoster {
  return { id, lastSeen: minutesAgo(10), leaseUntil: null, slots: [], readySlots: [], waiting: 0, ...about }
}

function choice(devices: readonly DeviceOnRoster[], wish: Partial<DeviceWish> = {}): string {
  const complete = { deviceId: undefined, simNumber: undefined, activeWithinHours: 0, queueLimit: 100, ...wish }
  const chosen = chooseDevice(devices, complete, now)
  return chosen.ok ? chosen.device.id : chosen.problem
}

test('takes the device that was asked for, offline too', () => {
  expect(choice([device('a', online), device('b')], { deviceId: 'b' })).toBe('b')
})

test('takes the shortest queue of those online', () => {
  const devices = [device('a', { ...online, waiting: 3 }), device('b', { ...online, waiting: 1 }), device('c')]
  expect(choice(devices)).toBe('b')
})

test('takes the one seen last when none is online', () => {
  const devices = [
    device('never', { lastSeen: null }),
    device('long ago', { waiting: 0 }),
    device('just now', { lastSeen: now, waiting: 9 }),
  ]
  expect(choice(devices)).toBe('just now')
})

test('does not believe a relay beyond its lease', () => {
  const expired = { leaseUntil: minutesAgo(0), lastSeen: minutesAgo(5) }
  expect(choice([device('a', expired), device('b', { lastSeen: minutesAgo(1) })])).toBe('b')
})

test('takes one that has the wanted SIM in the network before one that has only its slot', () => {
  const slots = [1, 2]
  const devices = [
    device('empty', { ...online, slots, readySlots: [1] }),
    device('ready', { ...online, slots, readySlots: [1, 2], waiting: 50 }),
    device('without', { ...online, slots: [1], readySlots: [1] }),
  ]
  expect(choice(devices, { simNumber: 2 })).toBe('ready')
  expect(choice(devices.slice(0, 1), { simNumber: 2 })).toBe('empty')
})

test('takes one with a working SIM before one without any', () => {
  const devices = [
    device('dead', { ...online, slots: [1] }),
    device('working', { ...online, slots: [1], readySlots: [1], waiting: 50 }),
  ]
  expect(choice(devices)).toBe('working')
})

test('takes one with a working SIM before one that told of none, however short its queue', () => {
  const devices = [
    device('without a modem', online),
    device('working', { ...online, slots: [1], readySlots: [1], waiting: 50 }),
    device('dead', { ...online, slots: [1] }),
  ]
  expect(choice(devices)).toBe('working')
  expect(choice(devices, { simNumber: 1 })).toBe('working')
  expect(choice(devices.filter(({ id }) => id !== 'working'))).toBe('without a modem')
})

test('leaves it to a device that has never told its slots', () => {
  expect(choice([device('a')], { simNumber: 9, deviceId: 'a' })).toBe('a')
})

test('passes over a full queue', () => {
  const full = { ...online, slots: [1], readySlots: [1], waiting: 100 }
  expect(choice([device('full', full), device('offline', { waiting: 99 })])).toBe('offline')
})

test('counts the hours since a device was seen', () => {
  const devices = [device('a', { lastSeen: minutesAgo(61) })]
  expect(choice(devices, { activeWithinHours: 2 })).toBe('a')
  expect(choice(devices, { activeWithinHours: 1 })).toBe('not-active')
  expect(choice([device('a', { ...online, lastSeen: minutesAgo(90) })], { activeWithinHours: 1 })).toBe('a')
})

test.each<[string, readonly DeviceOnRoster[], Partial<DeviceWish>]>([
  ['none', [], {}],
  ['unknown', [], { deviceId: 'a' }],
  ['unknown', [device('b')], { deviceId: 'a' }],
  ['no-such-sim', [device('a', { slots: [1] })], { simNumber: 2 }],
  ['no-such-sim', [device('a', { slots: [1] }), device('b', { slots: [2] })], { simNumber: 2, deviceId: 'a' }],
  ['queue-full', [device('a', { waiting: 100 })], {}],
])('says %s', (problem, devices, wish) => {
  expect(choice(devices, wish)).toBe(problem)
})
