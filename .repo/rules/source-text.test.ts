import { expect, test } from 'vitest'
import { lineAt, readSource } from './source-text.ts'

// The table writes `$<x>` for a substitution, so that no string of this file looks like a forgotten template.
const withSubstitutions = (text: string) => text.replaceAll('$<', '${').replace(/(?<!=)>/g, '}')
const codeOf = (text: string) => readSource('a.ts', text).code.replace(/ +/g, ' ')

test.each([
  ['line comment', 'a // Date.now()\nb', 'a \nb'],
  ['block comment', 'a /* Date */ + b', 'a + b'],
  ['strings with a comment mark', `f('//', "/*") // x`, `f(' ', " ") `],
  ['escaped quotes', String.raw`'it\'s Date' + x`, `' ' + x`],
  ['template text', '`Date // $<now> Date` + x', '` $<now> ` + x'],
  ['a template within a template', '`a $<f({ x: `b $<c> d` })> e` + g', '` $<f({ x: ` $<c> ` })> ` + g'],
  ['a regular expression with quotes', "const r = /['\"`/*]/g, d = 'Date'", "const r = / /g, d = ' '"],
  ['a regular expression after a keyword', "throw /'/.test(x)", 'throw / /.test(x)'],
])('does not treat a %s as code', (_, text, code) => {
  expect(codeOf(withSubstitutions(text))).toBe(withSubstitutions(code))
})

test.each(['a / b / c', '(a) / b / c', 'i++ / 2 / n', 'list[i]! / 2 / n', 'f(1 / 2)', 'a !== b / c / d'])(
  'treats %s as divisions',
  (text) => expect(readSource('a.ts', text).code).toBe(text),
)

test('does not change offsets and lines', () => {
  const text = '/* one\ntwo */ `x\ny` + Date'
  const { code, comments } = readSource('a.ts', text)
  expect(code.length).toBe(text.length)
  expect(code.indexOf('Date')).toBe(text.indexOf('Date'))
  expect(lineAt(text, text.indexOf('Date'))).toBe(3)
  expect(comments).toEqual([{ offset: 0, text: '/* one\ntwo */' }])
})

test('refuses a file that cannot be parsed', () => {
  for (const text of ["'open", '`open $', '/* open', withSubstitutions('`$<a'), '}', '/re', '"a\n"'])
    expect(() => readSource('a.ts', text)).toThrow('a.ts cannot be parsed: ')
})

test.each([
  "import { a } from './x.ts'",
  "import './x.ts'",
  "import type { A } from './x.ts'",
  "export * from './x.ts'",
  "export { a, b } from './x.ts'",
  "const a = await import('./x.ts')",
  "const a = require('./x.ts')",
  "type A = import('./x.ts').A",
])('finds the import in %s', (text) => {
  expect(readSource('a.ts', `\n${text}`).imports).toEqual([{ specifier: './x.ts', line: 2 }])
})

test('ignores an import whose name is computed', () => {
  expect(readSource('a.ts', withSubstitutions('import(name); import(`./$<name>.ts`)')).imports).toEqual([])
})
