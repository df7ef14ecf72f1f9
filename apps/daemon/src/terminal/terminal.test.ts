import { afterEach, expect, test, vi } from 'vitest'
import { printableJson } from './printable.ts'
import { printJson, processTerminal } from './terminal.ts'

afterEach(() => vi.restoreAllMocks())

/** A name with C0, C1 and bidirectional controls, a line separator, a character above U+FFFF and a quote. */
const NAME = 'bell\u001b[2J\u009b2J\u202e\u2028\u{e0041}"\\'
const UNSAFE = /(?![\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

function written(): () => string {
  const texts: unknown[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.push(text) > 0)
  return () => texts.join('')
}

test('a printed line contains no characters that control the terminal', () => {
  const output = written()
  processTerminal.print(`API key ${NAME}\nrevoked`)
  expect(output()).toBe('API key bell\\x1b[2J\\x9b2J\\u202e\\u2028\\u{e0041}"\\\\x0arevoked\n')
})

test('printed JSON contains no characters that control the terminal, and has the same value', () => {
  const output = written()
  const value = { keys: [{ name: NAME, emoji: '👨\u200d👩', text: 'one\ntwo' }] }
  processTerminal.print(printableJson(value))
  printJson(processTerminal, value)
  const [compact = '', ...indented] = output().split('\n')
  expect(output()).not.toMatch(UNSAFE)
  expect(JSON.parse(compact)).toEqual(value)
  expect(JSON.parse(indented.join('\n'))).toEqual(value)
  expect(indented.slice(0, 2)).toEqual(['{', '  "keys": ['])
})
