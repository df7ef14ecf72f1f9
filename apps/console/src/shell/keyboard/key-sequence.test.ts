import { expect, test } from 'vitest'
import { KeySequence, pressedKey } from './key-sequence.ts'

const said: string[] = []
const keys = Object.fromEntries(['j', '?', 'c', 'g c', 'g d'].map((key) => [key, () => said.push(key)]))

/** The shortcuts that run when these keys are pressed at this interval. */
function pressed(presses: readonly string[], everyMs: number): readonly string[] {
  said.length = 0
  const sequence = new KeySequence(keys)
  for (const [at, key] of presses.entries()) sequence.next(key, at * everyMs)?.()
  return [...said]
}

test('a single key runs its shortcut, even directly after another key', () => {
  expect(pressed(['j', 'j', 'j', '?'], 10)).toEqual(['j', 'j', 'j', '?'])
  expect(pressed(['Escape', '?'], 10)).toEqual(['?'])
})

test('two keys in sequence run the shortcut of the sequence, and the next key runs its own shortcut', () => {
  expect(pressed(['g', 'c', 'c'], 1_499)).toEqual(['g c', 'c'])
  expect(pressed(['g', 'g', 'd'], 100)).toEqual(['g d'])
})

test('an unknown or late sequence runs the shortcut of the second key', () => {
  expect(pressed(['g', '?', 'c'], 100)).toEqual(['?', 'c'])
  expect(pressed(['g', 'c'], 1_500)).toEqual(['c'])
})

test.each([
  ['a Latin letter', 'n', 'KeyN', 'n'],
  ['a Latin letter at another place (AZERTY)', 'a', 'KeyQ', 'a'],
  ['a sign with Shift (German)', '/', 'Digit7', '/'],
  ['an Arabic letter', 'ى', 'KeyN', 'n'],
  ['a Cyrillic letter', 'п', 'KeyG', 'g'],
  ['an Arabic letter at the place of the slash', 'ظ', 'Slash', '/'],
  ['another key', 'Escape', 'Escape', 'Escape'],
])('the shortcut of %s', (_, key, code, shortcut) => {
  expect(pressedKey({ key, code, shiftKey: false })).toBe(shortcut)
})

test('the Arabic question mark works like the shortcut ?', () => {
  expect(pressedKey({ key: '؟', code: 'Slash', shiftKey: true })).toBe('?')
})
