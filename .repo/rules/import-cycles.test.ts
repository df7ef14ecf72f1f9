import { expect, test } from 'vitest'
import { importCycles } from './import-cycles.ts'
import { treeOfLiterals } from './repository-tree.ts'

const check = (files: Readonly<Record<string, string>>) => importCycles(treeOfLiterals(files))

test('accepts imports in one direction', () => {
  expect(
    check({
      'libs/link/src/a.ts': "import { b } from './b.ts'\nimport { c } from './room/c.ts'",
      'libs/link/src/b.ts': "import { c } from './room/c.ts'",
      'libs/link/src/room/c.ts': "import { readFile } from 'node:fs'",
    }),
  ).toEqual([])
})

test('refuses two files that import each other', () => {
  expect(
    check({
      'libs/link/src/a.ts': "import { b } from './b.ts'",
      'libs/link/src/b.ts': "import { a } from './a.ts'",
    }),
  ).toEqual([
    {
      file: 'libs/link/src/a.ts',
      problem: 'is part of an import cycle: libs/link/src/a.ts -> libs/link/src/b.ts -> libs/link/src/a.ts',
    },
  ])
})

test('refuses a cycle of type imports and re-exports through a folder', () => {
  const violations = check({
    'libs/link/src/a.ts': "import type { B } from './room/b.ts'",
    'libs/link/src/room/b.ts': "export { c } from './c.ts'",
    'libs/link/src/room/c.ts': "type A = import('../a.ts').A",
  })
  expect(violations.map(({ file }) => file)).toEqual(['libs/link/src/a.ts'])
})

test('ignores tests and apps', () => {
  expect(
    check({
      'libs/link/src/a.test.ts': "import './b.test.ts'",
      'libs/link/src/b.test.ts': "import './a.test.ts'",
      'apps/agent/src/a.ts': "import './b.ts'",
      'apps/agent/src/b.ts': "import './a.ts'",
    }),
  ).toEqual([])
})
