import { expect, test } from 'vitest'
import { KeySequence } from './key-sequence.ts'

const said: string[] = []
const keys = Object.fromEntries(['j', '?', 'c', 'g c', 'g d'].map((key) => [key, () => said.push(key)]))

/** What is done when these are pressed so many milliseconds after one another. */
function pressed(presses: readonly string[], everyMs: number): readonly string[] {
  said.length = 0
  const sequence = new KeySequence(keys)
  for (const [at, key] of presses.entries()) sequence.next(key, at * everyMs)?.()
  return [...said]
}

test('a key means itself, however fast it follows another', () => {
  expect(pressed(['j', 'j', 'j', '?'], 10)).toEqual(['j', 'j', 'j', '?'])
  expect(pressed(['Escape', '?'], 10)).toEqual(['?'])
})

test('one after the other they mean what both mean together, and the next one itself', () => {
  expect(pressed(['g', 'c', 'c'], 1_499)).toEqual(['g c', 'c'])
  expect(pressed(['g', 'g', 'd'], 100)).toEqual(['g d'])
})

test('a sequence that leads nowhere or comes too late leaves the second key its own meaning', () => {
  expect(pressed(['g', '?', 'c'], 100)).toEqual(['?', 'c'])
  expect(pressed(['g', 'c'], 1_500)).toEqual(['c'])
})
