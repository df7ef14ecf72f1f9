import { expect, test } from 'vitest'
import { treeOfLiterals } from './repository-tree.ts'
import { SMALL_FILES, smallFiles } from './small-files.ts'

const importing = (name: string, lines = 10) => `import '${name}'\n`.padEnd(`import '${name}'\n`.length + lines, '\n')
const check = (files: Record<string, string>) =>
  smallFiles(treeOfLiterals(files)).map((violation) => `${violation.file}: ${violation.problem}`)
const refused = (file: string, importer: string) =>
  `${file}: is short, and only ${importer} imports it: move it there, or list it in ${SMALL_FILES} with a reason`

test('refuses a short file with one importer, even if it has its own test', () => {
  const files = { 'libs/a/src/part.ts': 'x\n', 'libs/a/src/part.test.ts': importing('./part.ts') }
  expect(check({ ...files, 'libs/a/src/whole.ts': importing('./part.ts') })).toEqual([
    refused('libs/a/src/part.ts', 'libs/a/src/whole.ts'),
  ])
})

test('accepts a longer file, a file with two importers, and one without importers', () => {
  expect(check({ 'libs/a/src/part.ts': '\n'.repeat(40), 'libs/a/src/whole.ts': importing('./part.ts') })).toEqual([])
  const two = { 'libs/a/src/one.ts': importing('./part.ts'), 'libs/a/src/other.test.ts': importing('./part.ts') }
  expect(check({ 'libs/a/src/part.ts': 'x\n', ...two })).toEqual([])
  expect(check({ 'libs/a/src/main.ts': 'x\n' })).toEqual([])
})

test('accepts a statement, a table, and a file whose importer is long or in another project', () => {
  for (const file of ['read-names-statement.ts', 'national-tables/urdu.ts'])
    expect(check({ [`libs/a/src/${file}`]: 'x\n', 'libs/a/src/whole.ts': importing(`./${file}`) })).toEqual([])
  const part = { 'libs/a/src/part.ts': 'x\n' }
  expect(check({ ...part, 'libs/a/src/whole.ts': importing('./part.ts', 399) })).toEqual([])
  expect(check({ ...part, 'apps/b/src/whole.ts': importing('@smsgw/a/part') })).toEqual([])
})

test('accepts an exception with a reason, and refuses an exception that is not needed', () => {
  const files = { 'libs/a/src/part.ts': 'x\n', 'libs/a/src/whole.ts': importing('./part.ts') }
  expect(check({ ...files, [SMALL_FILES]: '{"libs/a/src/part.ts":"an endpoint"}' })).toEqual([])
  expect(check({ ...files, [SMALL_FILES]: '{"libs/a/src/part.ts":"","libs/a/src/whole.ts":"why"}' })).toEqual([
    `${SMALL_FILES}: gives no reason for libs/a/src/part.ts`,
    `${SMALL_FILES}: still lists libs/a/src/whole.ts, which needs no exception: remove the entry`,
  ])
})
