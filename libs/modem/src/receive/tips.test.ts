import { expect, test } from 'vitest'
import { ManualClock } from '../testing/manual-clock.ts'
import { Tips } from './tips.ts'

function tips() {
  const clock = new ManualClock()
  let makeUps = 0
  const watched = new Tips(clock, () => {
    makeUps += 1
  })
  const waste = (times: number) => {
    for (let time = 0; time < times; time += 1) watched.wasted()
  }
  return { clock, tips: watched, waste, makeUps: () => makeUps }
}

test('trusts indications after three useless indications, but not after a fourth one within five seconds', () => {
  const { tips: watched, waste } = tips()
  waste(3)
  expect(watched.follow()).toBe(true)
  waste(1)
  expect(watched.follow()).toBe(false)
})

test('ignores useless indications from long ago', async () => {
  const { clock, tips: watched, waste } = tips()
  waste(3)
  await clock.advance(5_000)
  waste(1)
  expect(watched.follow()).toBe(true)
})

test('replaces skipped indications with one sweep after five seconds', async () => {
  const { clock, tips: watched, waste, makeUps } = tips()
  waste(4)
  for (let time = 0; time < 100; time += 1) watched.follow()
  await clock.advance(4_999)
  expect(makeUps()).toBe(0)
  await clock.advance(1)
  expect(makeUps()).toBe(1)
  expect(watched.follow()).toBe(true)
})

test('does not sweep and leaves no timer running if no indication was skipped', async () => {
  const { clock, waste, makeUps } = tips()
  waste(4)
  await clock.advance(5_000)
  expect(makeUps()).toBe(0)
  expect(clock.pending).toBe(0)
})

test('discards its state at the end of the session', async () => {
  const { clock, tips: watched, waste, makeUps } = tips()
  waste(4)
  watched.follow()
  watched.forget()
  expect(watched.follow()).toBe(true)
  await clock.advance(60_000)
  expect(makeUps()).toBe(0)
  expect(clock.pending).toBe(0)
})
