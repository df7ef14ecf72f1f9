import { expect, test } from 'vitest'
import { seededRandom } from '../random.ts'
import { faultCatalogue, isFaultName } from './fault-catalogue.ts'
import { FaultControl } from './fault-control.ts'

const strikes = (options: object, chances = 100) => {
  const faults = new FaultControl(seededRandom(3), { noise: options })
  return Array.from({ length: chances }, () => faults.strike('noise') !== undefined)
}

test('a fault that is not set never occurs', () => {
  expect(new FaultControl(seededRandom(1)).strike('noise')).toBeUndefined()
})

test('a fault without options occurs every time', () => {
  expect(strikes({})).not.toContain(false)
})

test('skips `skip` opportunities and stops after `times` occurrences', () => {
  expect(strikes({ skip: 2, times: 3 }, 7)).toEqual([false, false, true, true, true, false, false])
})

test('occurs with the probability `chance`, and at the same opportunities for the same seed', () => {
  const first = strikes({ chance: 0.3 }, 1000)
  expect(first.filter(Boolean).length).toBeGreaterThan(250)
  expect(first.filter(Boolean).length).toBeLessThan(350)
  expect(strikes({ chance: 0.3 }, 1000)).toEqual(first)
})

test('lists faults with default options and the number of occurrences', () => {
  const faults = new FaultControl(seededRandom(1), { 'prompt-late': { times: 1 } })
  expect(faults.strike('prompt-late')).toMatchObject({ delayMs: 3000 })
  expect(faults.list()).toEqual([
    { name: 'prompt-late', options: { chance: 1, times: 1, skip: 0, delayMs: 3000 }, struck: 1 },
  ])
  faults.clear('prompt-late')
  expect(faults.list()).toEqual([])
})

test('lists every fault once, with description and options', () => {
  const names = faultCatalogue.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { about, options } of faultCatalogue) {
    expect(about).not.toBe('')
    expect(options).toMatchObject({ chance: 1, times: 0, skip: 0 })
  }
  expect(isFaultName('prompt-late')).toBe(true)
  expect(isFaultName('toString')).toBe(false)
})
