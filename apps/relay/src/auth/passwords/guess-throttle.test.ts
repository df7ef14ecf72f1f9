import { expect, test } from 'vitest'
import { GuessThrottle } from './guess-throttle.ts'

test('ten wrong guesses are checked at once, then one in six seconds', () => {
  const { throttle, advance } = throttleAtZero()
  expect(passed(20, () => throttle.take('sms', '203.0.113.7'))).toBe(10)
  expect(throttle.take('sms', '203.0.113.7')).toEqual({ ok: false, used: 'pair', retryAfterSeconds: 6 })
  advance(5_900)
  expect(throttle.take('sms', '203.0.113.7')).toEqual({ ok: false, used: 'pair', retryAfterSeconds: 1 })
  advance(100)
  expect(passed(20, () => throttle.take('sms', '203.0.113.7'))).toBe(1)
  advance(3_600_000)
  expect(passed(20, () => throttle.take('sms', '203.0.113.7'))).toBe(10)
})

test('guesses at an account from one address do not lock out its owner at another address', () => {
  const { throttle } = throttleAtZero()
  passed(1_000, () => throttle.take('sms', '203.0.113.7'))
  expect(throttle.take('sms', '203.0.113.8').ok).toBe(true)
})

test('guesses at one account do not limit other accounts at the same address', () => {
  const { throttle } = throttleAtZero()
  passed(1_000, () => throttle.take('sms', '203.0.113.7'))
  expect(throttle.take('other', '203.0.113.7').ok).toBe(true)
})

test('a list of usernames is refused after a hundred names', () => {
  const { throttle } = throttleAtZero()
  let name = 0
  expect(passed(1_000, () => throttle.take(`user${name++}`, '203.0.113.7'))).toBe(100)
  expect(throttle.take('sms', '203.0.113.7')).toEqual({ ok: false, used: 'address', retryAfterSeconds: 1 })
})

test('a /64 network of IPv6 counts as one caller', () => {
  const { throttle } = throttleAtZero()
  let host = 1
  expect(passed(100, () => throttle.take('sms', `2001:db8::${(host++).toString(16)}`))).toBe(10)
})

test('right passwords do not count', () => {
  const { throttle } = throttleAtZero()
  for (let login = 0; login < 1_000; login++) {
    const guess = throttle.take('sms', '203.0.113.7')
    if (guess.ok) guess.giveBack()
  }
  expect(passed(20, () => throttle.take('sms', '203.0.113.7'))).toBe(10)
})

test('a clock that is set back changes no limit', () => {
  const { throttle, advance } = throttleAtZero()
  passed(20, () => throttle.take('sms', '203.0.113.7'))
  advance(-3_600_000)
  expect(throttle.take('sms', '203.0.113.7').ok).toBe(false)
  advance(6_000)
  expect(throttle.take('sms', '203.0.113.7').ok).toBe(true)
})

function throttleAtZero() {
  let nowMs = 1_000_000_000
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { throttle: new GuessThrottle(() => nowMs), advance }
}

function passed(times: number, take: () => { ok: boolean }): number {
  return Array.from({ length: times }, take).filter(({ ok }) => ok).length
}
