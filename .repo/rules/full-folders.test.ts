import { expect, test } from 'vitest'
import { FULL_FOLDERS, fullFolders } from './full-folders.ts'
import { treeOfLiterals } from './repository-tree.ts'

const folder = 'apps/a/src/messages'
const named = (count: number, end: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/file-${at}${end}`, '']))
const listed = (files: number, why = 'one file for each command') => ({
  [FULL_FOLDERS]: JSON.stringify({ [folder]: { files, why } }),
})
const problems = (contents: Record<string, string>) => fullFolders(treeOfLiterals(contents)).map(({ file }) => file)

test('a folder may have 15 source files, and any number of tests and statements', () => {
  const others = { ...named(20, '.test.ts'), ...named(20, '.e2e.ts'), ...named(20, '-statement.ts') }
  expect(problems({ ...named(15, '.ts'), ...others })).toEqual([])
  expect(problems({ ...named(15, '.ts'), ...named(1, '.tsx') })).toEqual([folder])
})

test('files in folders below a folder do not count', () => {
  expect(problems({ ...named(15, '.ts'), [`${folder}/accept/one.ts`]: '' })).toEqual([])
})

test('a listed folder may have the listed number of files, and no more', () => {
  expect(problems({ ...named(16, '.ts'), ...listed(16) })).toEqual([])
  expect(problems({ ...named(17, '.ts'), ...listed(16) })).toEqual([folder])
})

test('an entry needs a reason, and must be lowered or removed when the folder becomes smaller', () => {
  expect(problems({ ...named(16, '.ts'), ...listed(16, '') })).toEqual([FULL_FOLDERS])
  expect(problems({ ...named(16, '.ts'), ...listed(17) })).toEqual([FULL_FOLDERS])
  expect(problems({ ...named(15, '.ts'), ...listed(16) })).toEqual([FULL_FOLDERS])
})
