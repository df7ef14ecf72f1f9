import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { judgeSystemClock, type SystemClock } from './system-clock.ts'
import { TrustedClock } from './trusted-clock.ts'

function fixture(judged: SystemClock = 'lost') {
  const clock = new ManualClock()
  const system = { ms: Date.UTC(2020, 0, 1), judged }
  const changes: number[] = []
  const time = new TrustedClock({
    clock,
    bootId: 'boot',
    systemMs: () => system.ms + clock.nowMs(),
    judgeSystem: () => system.judged,
    onChanged: () => changes.push(1),
  })
  return { clock, system, changes, time }
}

test('a clock that is synchronised is believed, whatever others say', () => {
  const { time, system } = fixture('synchronised')
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
  system.judged = 'synchronised'
  time.look()
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
  expect(changes).toHaveLength(1)
})

test('a clock with a battery is believed until the relay or the network says what it is', () => {
  const { time, system } = fixture('kept')
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
  time.heard('relay', Date.UTC(2030, 0, 1))
  expect(time.now()).toEqual({ wallMs: Date.UTC(2030, 0, 1), trusted: true })
})

test('local time has a numeric offset and milliseconds', () => {
  const { time } = fixture()
  expect(time.local(Date.UTC(2026, 2, 1, 8, 46, 11, 5))).toMatch(/^2026-0[23]-\d\dT\d\d:\d\d:11\.005[+-]\d\d:\d\d$/)
  expect(Date.parse(time.local(1_772_380_800_005))).toBe(1_772_380_800_005)
})

test('a Raspberry Pi that nothing has synchronised has the time of its last day', () => {
  const judged = (isSynchronised: boolean | undefined, battery: boolean, pi: boolean, nowMs = Date.UTC(2026, 5, 1)) =>
    judgeSystemClock({
      isSynchronised: () => isSynchronised,
      hasBattery: () => battery,
      isRaspberryPi: () => pi,
      nowMs: () => nowMs,
    })
  expect(judged(undefined, false, true)).toBe('lost')
  expect(judged(false, false, true)).toBe('lost')
  expect(judged(false, false, false)).toBe('lost')
  expect(judged(true, false, true)).toBe('synchronised')
  expect(judged(false, true, true)).toBe('kept')
  expect(judged(undefined, false, false)).toBe('kept')
  // Its battery is empty.
  expect(judged(false, true, false, Date.UTC(2000, 0, 1))).toBe('lost')
})
