import { expect, test } from 'vitest'
import { chooseDevice, type DeviceCriteria, type DeviceOnRoster, hasRealSlot } from './choose-device.ts'

const now = new Date('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
const online = { leaseUntil: minutesAgo(-1), lastSeen: now }

function device(
  id: string,
  { waiting = 0, ...about }: Partial<DeviceOnRoster> & { readonly waiting?: number } = {},
): DeviceOnRoster {
  return {
    id,
    lastSeen: minutesAgo(10),
    leaseUntil: null,
    capabilities: [],
    slots: [],
    readySlots: [],
    emulatedSlots: [],
    queue: { waiting },
    ...about,
  }
}

function choose(devices: readonly DeviceOnRoster[], criteria: Partial<DeviceCriteria>) {
  const complete = {
    deviceId: undefined,
    simNumber: undefined,
    capabilities: [],
    activeWithinHours: 0,
    queueLimit: 100,
    mayMixEmulated: false,
    ...criteria,
  }
  return chooseDevice({ devices, hasRealModem: devices.some(hasRealSlot) }, complete, now)
}

function choice(devices: readonly DeviceOnRoster[], criteria: Partial<DeviceCriteria> = {}): string {
  const chosen = choose(devices, criteria)
  return chosen.ok ? chosen.device.id : chosen.problem
}

test('chooses the requested device, even if it is offline', () => {
  expect(choice([device('a', online), device('b')], { deviceId: 'b' })).toBe('b')
})

test('chooses the online device with the shortest queue', () => {
  const devices = [device('a', { ...online, waiting: 3 }), device('b', { ...online, waiting: 1 }), device('c')]
  expect(choice(devices)).toBe('b')
})

test('chooses the device that was seen last if no device is online', () => {
  const devices = [
    device('never', { lastSeen: null }),
    device('long ago', { waiting: 0 }),
    device('just now', { lastSeen: now, waiting: 9 }),
  ]
  expect(choice(devices)).toBe('just now')
})

test('treats a device with an expired lease as offline', () => {
  const expired = { leaseUntil: minutesAgo(0), lastSeen: minutesAgo(5) }
  expect(choice([device('a', expired), device('b', { lastSeen: minutesAgo(1) })])).toBe('b')
})

test('chooses a device whose agent supports the message, or a device that has never connected', () => {
  const devices = [device('old', online), device('new', { ...online, capabilities: ['encrypted-data'], waiting: 50 })]
  expect(choice(devices, { capabilities: ['encrypted-data'] })).toBe('new')
  expect(choice([device('never', { capabilities: null })], { capabilities: ['encrypted-data'] })).toBe('never')
})

test('prefers a registered SIM to an empty slot', () => {
  const slots = [1, 2]
  const devices = [
    device('empty', { ...online, slots, readySlots: [1] }),
    device('ready', { ...online, slots, readySlots: [1, 2], waiting: 50 }),
    device('without', { ...online, slots: [1], readySlots: [1] }),
  ]
  expect(choice(devices, { simNumber: 2 })).toBe('ready')
  expect(choice(devices.slice(0, 1), { simNumber: 2 })).toBe('empty')
})

test('prefers a device with a working SIM to a device without one', () => {
  const devices = [
    device('dead', { ...online, slots: [1] }),
    device('working', { ...online, slots: [1], readySlots: [1], waiting: 50 }),
  ]
  expect(choice(devices)).toBe('working')
})

test('prefers a working SIM to unreported slots, even with a longer queue', () => {
  const devices = [
    device('without a modem', online),
    device('working', { ...online, slots: [1], readySlots: [1], waiting: 50 }),
    device('dead', { ...online, slots: [1] }),
  ]
  expect(choice(devices)).toBe('working')
  expect(choice(devices, { simNumber: 1 })).toBe('working')
  expect(choice(devices.filter(({ id }) => id !== 'working'))).toBe('without a modem')
})

const emulated = { slots: [1], readySlots: [1], emulatedSlots: [1] }

test('chooses no virtual modem while the account has a real modem in any state', () => {
  const real = { slots: [1], readySlots: [], waiting: 99 }
  const devices = [device('virtual', { ...online, ...emulated }), device('real', real)]
  expect(choice(devices)).toBe('real')
  expect(choice(devices, { deviceId: 'virtual' })).toBe('emulated')
  expect(choice(devices.toReversed(), { simNumber: 1 })).toBe('real')
  expect(choice(devices, { mayMixEmulated: true })).toBe('virtual')
  expect(choice(devices, { deviceId: 'virtual', mayMixEmulated: true })).toBe('virtual')
})

test('chooses a virtual modem in an account without a real modem', () => {
  expect(choice([device('virtual', { ...online, ...emulated }), device('new')])).toBe('virtual')
  expect(choice([device('virtual', emulated)], { deviceId: 'virtual', simNumber: 1 })).toBe('virtual')
})

test('refuses the virtual SIM of a device that has a real SIM', () => {
  const mixed = [device('a', { ...online, slots: [1, 2], readySlots: [1, 2], emulatedSlots: [2] })]
  expect(choice(mixed, { simNumber: 2 })).toBe('emulated')
  expect(choice(mixed, { simNumber: 1 })).toBe('a')
  expect(choice(mixed)).toBe('a')
})

test('accepts a device that has not reported its slots', () => {
  expect(choice([device('a')], { simNumber: 9, deviceId: 'a' })).toBe('a')
})

test('skips a full queue', () => {
  const full = { ...online, slots: [1], readySlots: [1], waiting: 100 }
  expect(choice([device('full', full), device('offline', { waiting: 99 })])).toBe('offline')
})

test('counts the hours since a device was last seen', () => {
  const devices = [device('a', { lastSeen: minutesAgo(61) })]
  expect(choice(devices, { activeWithinHours: 2 })).toBe('a')
  expect(choice(devices, { activeWithinHours: 1 })).toBe('not-active')
  expect(choice([device('a', { ...online, lastSeen: minutesAgo(90) })], { activeWithinHours: 1 })).toBe('a')
})

test.each<[string, readonly DeviceOnRoster[], Partial<DeviceCriteria>]>([
  ['none', [], {}],
  ['unknown', [], { deviceId: 'a' }],
  ['unknown', [device('b')], { deviceId: 'a' }],
  ['no-such-sim', [device('a', { slots: [1] })], { simNumber: 2 }],
  ['sim-not-allowed', [device('a', { slots: [1] })], { allowedSims: [{ deviceId: 'a', simNumber: 2 }] }],
  ['too-old', [device('a', online)], { capabilities: ['encrypted-data'] }],
  ['no-key', [device('a', online), device('never', { capabilities: null })], { capabilities: ['public-key'] }],
  ['no-such-sim', [device('a', { slots: [1] }), device('b', { slots: [2] })], { simNumber: 2, deviceId: 'a' }],
  ['queue-full', [device('a', { waiting: 100 })], {}],
])('refuses with the text: %s', (problem, devices, criteria) => {
  expect(choice(devices, criteria)).toBe(problem)
})
