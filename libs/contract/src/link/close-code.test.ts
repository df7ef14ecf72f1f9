import { expect, test } from 'vitest'
import { type CloseName, closeCodes, closeNameOf } from './close-code.ts'

const names = Object.keys(closeCodes) as CloseName[]

test('uses each code once, from the range for applications', () => {
  for (const name of names) {
    expect(closeCodes[name].code).toBeGreaterThanOrEqual(4000)
    expect(closeCodes[name].code).toBeLessThan(5000)
    expect(closeNameOf(closeCodes[name].code)).toBe(name)
  }
})

test('a code that is not listed has no name', () => {
  for (const code of [1000, 1001, 1006, 4999, Number.NaN]) expect(closeNameOf(code)).toBeUndefined()
})
