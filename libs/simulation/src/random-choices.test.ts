import { expect, test } from 'vitest'
import { RandomChoices } from './random-choices.ts'

test('makes the same choices from the same seed', () => {
  const choices = (seed: number) => {
    const random = new RandomChoices(seed)
    return Array.from({ length: 50 }, () => [random.happens(0.5), random.below(10), random.oneOf(['a', 'b', 'c'])])
  }
  expect(choices(1)).toEqual(choices(1))
  expect(choices(1)).not.toEqual(choices(2))
})

test('stays within the limits and follows the weights', () => {
  const random = new RandomChoices(3)
  for (let at = 0; at < 1_000; at += 1) {
    expect([0, 1, 2]).toContain(random.below(3))
    const between = random.between(5, 7)
    expect(between >= 5 && between < 7).toBe(true)
    expect(random.weighted({ never: 0, always: 2 })).toBe('always')
  }
  expect(() => random.weighted({})).toThrow('cannot choose from an empty set of weights')
})
