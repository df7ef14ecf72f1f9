import { expect, test } from 'vitest'
import { ManualClock } from './testing/manual-clock.ts'
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

test('three tips that led to nothing are nothing unusual, a fourth in five seconds is', () => {
  const { tips: watched, waste } = tips()
  waste(3)
  expect(watched.follow()).toBe(true)
  waste(1)
  expect(watched.follow()).toBe(false)
})

test('those that led to nothing long ago do not count', async () => {
  const { clock, tips: watched, waste } = tips()
  waste(3)
  await clock.advance(5_000)
  waste(1)
  expect(watched.follow()).toBe(true)
})

test('what was not followed is made up for by one look, five seconds later', async () => {
  const { clock, tips: watched, waste, makeUps } = tips()
  waste(4)
  for (let time = 0; time < 100; time += 1) watched.follow()
  await clock.advance(4_999)
  expect(makeUps()).toBe(0)
  await clock.advance(1)
  expect(makeUps()).toBe(1)
  expect(watched.follow()).toBe(true)
})

test('without anything missed there is nothing to make up for, and no timer is left', async () => {
  const { clock, waste, makeUps } = tips()
  waste(4)
  await clock.advance(5_000)
  expect(makeUps()).toBe(0)
  expect(clock.pending).toBe(0)
})

test('with the session all of it is forgotten', async () => {
  const { clock, tips: watched, waste, makeUps } = tips()
  waste(4)
  watched.follow()
  watched.forget()
  expect(watched.follow()).toBe(true)
  await clock.advance(60_000)
  expect(makeUps()).toBe(0)
  expect(clock.pending).toBe(0)
})
