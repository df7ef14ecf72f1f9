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

test('trusts a synchronised system clock over the relay', () => {
  const { time, system } = fixture('synchronised')
  time.heard('relay', Date.UTC(2030, 0, 1))
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
})

test('without a synchronised clock, continues the time of the relay, and prefers it to the time of the network', () => {
  const { time, clock, changes } = fixture()
  expect(time.now().trusted).toBe(false)
  time.heard('network', Date.UTC(2026, 0, 1))
  time.heard('relay', Date.UTC(2026, 0, 2))
  time.heard('network', Date.UTC(2026, 0, 3))
  clock.advance(5000)
  expect(time.now()).toEqual({ wallMs: Date.UTC(2026, 0, 2) + 5000, trusted: true })
  expect(changes).toHaveLength(2)
})

test('trusts the system clock after it was synchronised, and notifies', () => {
  const { time, system, changes } = fixture()
  system.judged = 'synchronised'
  time.look()
  expect(time.now()).toEqual({ wallMs: system.ms, trusted: true })
  expect(changes).toHaveLength(1)
})

test.each([3_600_000, -3_600_000, 86_400_000, -86_400_000])(
  'notices once that a synchronised clock was changed by %d ms',
  (byMs) => {
    const { time, system, clock, changes } = fixture('synchronised')
    clock.advance(2_000)
    time.watch()
    expect(changes).toHaveLength(0)
    system.ms += byMs
    time.watch()
    time.watch()
    expect(changes).toHaveLength(1)
  },
)

test('trusts a battery-backed clock until the relay or the network reports the time', () => {
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

test('does not trust the clock of a Raspberry Pi that has not been synchronised', () => {
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
  // Simulates an empty battery: the time is too early.
  expect(judged(false, true, false, Date.UTC(2000, 0, 1))).toBe('lost')
})
