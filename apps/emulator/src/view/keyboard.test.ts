import { expect, test } from 'vitest'
import { type KeyboardState, type KeyEffect, keysOf, pressKey, watching } from './keyboard.ts'

function press(input: string): { state: KeyboardState; effects: KeyEffect[] } {
  let state = watching
  const effects: KeyEffect[] = []
  for (const key of keysOf(input)) {
    const result = pressKey(state, key)
    state = result.state
    if (result.effect) effects.push(result.effect)
  }
  return { state, effects }
}

test('a message is typed, mended and sent with Enter', () => {
  expect(press('mHellp\x7fo 👋\r')).toEqual({ state: watching, effects: [{ kind: 'message', text: 'Hello 👋' }] })
})

test('Esc drops what was typed, an arrow key is not text', () => {
  expect(press('fprompt\x1b[A-late')).toMatchObject({ state: { purpose: 'fault', text: 'prompt-late' }, effects: [] })
  expect(press('fprompt-late\x1b')).toEqual({ state: watching, effects: [] })
})

test('letters that are commands are text while typing', () => {
  expect(press('mqur\r').effects).toEqual([{ kind: 'message', text: 'qur' }])
})

test('commands', () => {
  expect(press('\turq').effects.map(({ kind }) => kind)).toEqual(['next-modem', 'toggle-plug', 'reboot', 'quit'])
})

test('Ctrl-C quits even while typing', () => {
  expect(press('mabc\x03').effects).toEqual([{ kind: 'quit' }])
})

test('an empty line does nothing', () => {
  expect(press('m\r')).toEqual({ state: watching, effects: [] })
})
