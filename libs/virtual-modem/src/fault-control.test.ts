import { expect, test } from 'vitest'
import { FaultControl } from './fault-control.ts'
import { faultCatalogue, isFaultName } from './faults.ts'
import { seededRandom } from './random.ts'

const strikes = (options: object, chances = 100) => {
  const faults = new FaultControl(seededRandom(3), { noise: options })
  return Array.from({ length: chances }, () => faults.strike('noise') !== undefined)
}

test('a fault that is not set never strikes', () => {
  expect(new FaultControl(seededRandom(1)).strike('noise')).toBeUndefined()
})

test('set alone it strikes always', () => {
  expect(strikes({})).not.toContain(false)
})

test('skip lets chances go by, times ends it', () => {
  expect(strikes({ skip: 2, times: 3 }, 7)).toEqual([false, false, true, true, true, false, false])
})

test('chance is kept, and the same seed strikes the same way', () => {
  const first = strikes({ chance: 0.3 }, 1000)
  expect(first.filter(Boolean).length).toBeGreaterThan(250)
  expect(first.filter(Boolean).length).toBeLessThan(350)
  expect(strikes({ chance: 0.3 }, 1000)).toEqual(first)
})

test('options are filled up with their defaults and listed with what has happened', () => {
  const faults = new FaultControl(seededRandom(1), { 'prompt-late': { times: 1 } })
  expect(faults.strike('prompt-late')).toMatchObject({ delayMs: 3000 })
  expect(faults.list()).toEqual([
    { name: 'prompt-late', options: { chance: 1, times: 1, skip: 0, delayMs: 3000 }, struck: 1 },
  ])
  faults.clear('prompt-late')
  expect(faults.list()).toEqual([])
})

test('the catalogue names every fault once, with what it does and its options', () => {
  const names = faultCatalogue.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { about, options } of faultCatalogue) {
    expect(about).not.toBe('')
    expect(options).toMatchObject({ chance: 1, times: 0, skip: 0 })
  }
  expect(isFaultName('prompt-late')).toBe(true)
  expect(isFaultName('toString')).toBe(false)
})
