import { expect, test } from 'vitest'
import { KeySequence } from './key-sequence.ts'

const said: string[] = []
const keys = Object.fromEntries(['j', '?', 'c', 'g c', 'g d'].map((key) => [key, () => said.push(key)]))

/** The shortcuts that run when these keys are pressed at this interval. */
function pressed(presses: readonly string[], everyMs: number): readonly string[] {
  said.length = 0
  const sequence = new KeySequence(keys)
  for (const [at, key] of presses.entries()) sequence.next(key, at * everyMs)?.()
  return [...said]
}

test('a single key runs its shortcut, however fast it follows another key', () => {
  expect(pressed(['j', 'j', 'j', '?'], 10)).toEqual(['j', 'j', 'j', '?'])
  expect(pressed(['Escape', '?'], 10)).toEqual(['?'])
})

test('two keys in sequence run the shortcut of the sequence, and the next key its own', () => {
  expect(pressed(['g', 'c', 'c'], 1_499)).toEqual(['g c', 'c'])
  expect(pressed(['g', 'g', 'd'], 100)).toEqual(['g d'])
})

test('an unknown or late sequence runs the shortcut of the second key', () => {
  expect(pressed(['g', '?', 'c'], 100)).toEqual(['?', 'c'])
  expect(pressed(['g', 'c'], 1_500)).toEqual(['c'])
})
