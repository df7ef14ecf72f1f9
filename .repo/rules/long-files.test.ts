import { expect, test } from 'vitest'
import { LONG_FILES, LONGEST, longFiles, wideComments } from './long-files.ts'
import { treeOfLiterals } from './repository-tree.ts'

const text = (lines: number) => 'x\n'.repeat(lines)
const check = (files: Record<string, string>) =>
  longFiles(treeOfLiterals(files)).map((violation) => `${violation.file}: ${violation.problem}`)

test('accepts a file of the maximum length', () => {
  expect(check({ 'a.ts': text(LONGEST) })).toEqual([])
})

test('refuses a longer file unless it is listed with a reason', () => {
  expect(check({ 'a.ts': text(401) })).toEqual([
    `a.ts: has 401 lines: split it by job, or list it in ${LONG_FILES} with a reason`,
  ])
  expect(check({ 'a.ts': text(401), [LONG_FILES]: '{"a.ts":{"lines":401,"why":"one table"}}' })).toEqual([])
  expect(check({ 'a.ts': text(401), [LONG_FILES]: '{"a.ts":{"lines":401,"why":""}}' })).toEqual([
    `${LONG_FILES}: gives no reason for a.ts`,
  ])
})

test('refuses a listed file that became longer, and an entry with a length that is too high', () => {
  const list = { [LONG_FILES]: '{"a.ts":{"lines":420,"why":"one table"}}' }
  expect(check({ 'a.ts': text(420), ...list })).toEqual([])
  expect(check({ 'a.ts': text(421), ...list })).toEqual([
    `a.ts: grew from 420 to 421 lines: split it, because numbers in ${LONG_FILES} must not grow`,
  ])
  expect(check({ 'a.ts': text(410), ...list })).toEqual([
    `${LONG_FILES}: allows 420 lines for a.ts, which has 410: lower the number`,
  ])
})

test('refuses an entry for a short or missing file', () => {
  expect(
    check({ 'a.ts': text(1), [LONG_FILES]: '{"a.ts":{"lines":420,"why":"one table"},"b.ts":{"lines":9,"why":"w"}}' }),
  ).toEqual([
    `${LONG_FILES}: still lists a.ts, which is short: remove the entry`,
    `${LONG_FILES}: lists b.ts, which does not exist`,
  ])
})

test('refuses a line of a comment that is wider than 120 characters', () => {
  const wide = 'word '.repeat(25)
  const at = (source: string) => wideComments(treeOfLiterals({ 'a.ts': source })).map(({ line }) => line)
  expect(at(`// ${wide}\n`)).toEqual([1])
  expect(at(`const a = 1\n/**\n * Short.\n * ${wide}\n */\nconst b = 2\n`)).toEqual([4])
  expect(at(`// https://example.org/${'a'.repeat(120)}\nconst text = '${wide}'\n`)).toEqual([])
})
