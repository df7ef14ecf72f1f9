import { expect, test } from 'vitest'
import { LIST, LONGEST, longFiles } from './long-files.ts'
import { treeOfLiterals } from './repository-tree.ts'

const text = (lines: number) => 'x\n'.repeat(lines)
const check = (files: Record<string, string>) =>
  longFiles(treeOfLiterals(files)).map((violation) => `${violation.file}: ${violation.problem}`)

test('accepts a file of the maximum length', () => {
  expect(check({ 'a.ts': text(LONGEST) })).toEqual([])
})

test('refuses a longer file unless it is listed with a reason', () => {
  expect(check({ 'a.ts': text(401) })).toEqual([
    `a.ts: has 401 lines: split it by job, or list it in ${LIST} with a reason`,
  ])
  expect(check({ 'a.ts': text(401), [LIST]: '{"a.ts":{"lines":401,"why":"one table"}}' })).toEqual([])
  expect(check({ 'a.ts': text(401), [LIST]: '{"a.ts":{"lines":401,"why":""}}' })).toEqual([
    `${LIST}: gives no reason for a.ts`,
  ])
})

test('refuses a listed file that became longer, and an entry with a length that is too high', () => {
  const list = { [LIST]: '{"a.ts":{"lines":420,"why":"one table"}}' }
  expect(check({ 'a.ts': text(420), ...list })).toEqual([])
  expect(check({ 'a.ts': text(421), ...list })).toEqual([
    `a.ts: grew from 420 to 421 lines: split it, do not raise ${LIST}, which only shrinks`,
  ])
  expect(check({ 'a.ts': text(410), ...list })).toEqual([
    `${LIST}: says 420 lines for a.ts, which has 410 now: lower it`,
  ])
})

test('refuses an entry for a short or missing file', () => {
  expect(
    check({ 'a.ts': text(1), [LIST]: '{"a.ts":{"lines":420,"why":"one table"},"b.ts":{"lines":9,"why":"w"}}' }),
  ).toEqual([`${LIST}: still lists a.ts, which is short now`, `${LIST}: lists b.ts, which does not exist`])
})
