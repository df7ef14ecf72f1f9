import { printable } from '@smsgw/daemon/terminal/printable'
import { afterEach, expect, test, vi } from 'vitest'
import { eventLines } from '../modem-tool/watch.ts'
import { linesOf, printError, printLine, printTable } from './terminal.ts'

afterEach(() => vi.restoreAllMocks())

test.each<[string, string, string]>([
  ['an escape sequence', 'a\u001b[2Jb', 'a\\x1b[2Jb'],
  ['the same begun by one character', '\u009b2J', '\\x9b2J'],
  ['a line end inside a line', 'Eve\r\nSM 2, from Bob', 'Eve\\x0d\\x0aSM 2, from Bob'],
  ['a line end of Unicode', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\x85d'],
  ['text turned around', 'invoice\u202efdp.exe\u2066\u200f', 'invoice\\u202efdp.exe\\u2066\\u200f'],
  ['letters nobody sees', 'a\u00ad\ufeff\u{e0041}', 'a\\xad\\ufeff\\u{e0041}'],
  ['half a surrogate pair', 'a\ud83d', 'a\\ud83d'],
])('escapes %s', (_what, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('keeps ordinary text in all languages unchanged', () => {
  const texts = 'Grüße, مرحبا, می\u200cخواهم, 日本語 👨\u200d👩\u200d👧 €{[\\]}'
  expect(printable(texts)).toBe(texts)
})

test('splits lines at all line ends that phones use', () => {
  expect(linesOf('1 Balance\n2 Top-up\r\n3 Help\r4 Exit')).toEqual(['1 Balance', '2 Top-up', '3 Help', '4 Exit'])
})

test.each(['stdout', 'stderr'] as const)('escapes everything printed on %s', (stream) => {
  const written: unknown[] = []
  vi.spyOn(process[stream], 'write').mockImplementation((text) => written.push(text) > 0)
  if (stream === 'stdout') {
    printLine('said: \u001b]0;title\u0007')
    printTable([['Operator', 'Net\u001b[31m\nState  ready']])
    expect(written).toEqual(['said: \\x1b]0;title\\x07\n', 'Operator  Net\\x1b[31m\\x0aState  ready\n'])
  } else {
    printError('modem: +CMS ERROR: \u001b[2J')
    expect(written).toEqual(['modem: +CMS ERROR: \\x1b[2J\n'])
  }
})

test('indents the further lines of a USSD text, so that they cannot be mistaken for other events', () => {
  const lines = eventLines({ kind: 'ussd', answer: { status: 'answered', text: 'You won\r\nstate: ready' } })
  expect(lines).toEqual(['ussd: answered: You won', '    state: ready'])
})
