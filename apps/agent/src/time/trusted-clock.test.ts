import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { systemClockIsRight } from './system-clock.ts'
import { TrustedClock } from './trusted-clock.ts'

function fixture({ systemIsRight = false } = {}) {
  const clock = new ManualClock()
  const system = { ms: Date.UTC(2020, 0, 1), isRight: systemIsRight }
  const changes: number[] = []
  const time = new TrustedClock({
    clock,
    bootId: 'boot',
    systemMs: () => system.ms + clock.nowMs(),
    systemIsRight: () => system.isRight,
    onChanged: () => changes.push(1),
  })
  return { clock, system, changes, time }
}

test('a clock that is kept right is believed, whatever others say', () => {
  const { time, system } = fixture({ systemIsRight: true })
  time.heard('relay', Date.UTC(2030, 0, 1))
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
})

test('without one the relay is believed, before the network, and its word is carried on', () => {
  const { time, clock, changes } = fixture()
  expect(time.now().trusted).toBe(false)
  time.heard('network', Date.UTC(2026, 0, 1))
  time.heard('relay', Date.UTC(2026, 0, 2))
  time.heard('network', Date.UTC(2026, 0, 3))
  clock.advance(5000)
  expect(time.now()).toEqual({ wallMs: Date.UTC(2026, 0, 2) + 5000, trusted: true })
  expect(changes).toHaveLength(2)
})

test('when the machine has been set right it is believed again, and whoever waits is told', () => {
  const { time, system, changes } = fixture()
  system.isRight = true
  time.look()
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
  expect(changes).toHaveLength(1)
})

test('local time has a numeric offset and milliseconds', () => {
  const { time } = fixture()
  expect(time.local(Date.UTC(2026, 2, 1, 8, 46, 11, 5))).toMatch(/^2026-0[23]-\d\dT\d\d:\d\d:11\.005[+-]\d\d:\d\d$/)
  expect(Date.parse(time.local(1_772_380_800_005))).toBe(1_772_380_800_005)
})

test('a Raspberry Pi that nothing has synchronised has the time of its last day', () => {
  const machine = (isSynchronised: boolean | undefined, battery: boolean, pi: boolean) => ({
    isSynchronised: () => isSynchronised,
    hasBattery: () => battery,
    isRaspberryPi: () => pi,
  })
  expect(systemClockIsRight(machine(undefined, false, true))).toBe(false)
  expect(systemClockIsRight(machine(false, false, true))).toBe(false)
  expect(systemClockIsRight(machine(false, false, false))).toBe(false)
  expect(systemClockIsRight(machine(true, false, true))).toBe(true)
  expect(systemClockIsRight(machine(false, true, true))).toBe(true)
  expect(systemClockIsRight(machine(undefined, false, false))).toBe(true)
})
