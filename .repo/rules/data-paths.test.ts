import { expect, test } from 'vitest'
import { dataPaths } from './data-paths.ts'
import { treeOfLiterals } from './repository-tree.ts'

const source = {
  'apps/a/src/one.ts': "// Step 1. Next: two.ts.\n\nimport { two } from './two.ts'",
  'apps/a/src/two.ts':
    '// Step 2. Next: three.ts.\n// Step 4. Next: one.ts.\n// Step 5. Next: two.ts.\n\nexport const two = 2',
  'apps/a/src/wiring.ts': "import './two.ts'\nimport '@smsgw/b/three'",
  'libs/b/src/three.ts': 'export const three = 3',
}

function problemsOf(rows: readonly string[]): string[] {
  const document = ['| # | File | Joined by | What it does |', '|---|---|---|---|', ...rows].join('\n')
  return dataPaths(treeOfLiterals({ ...source, 'docs/architecture.md': document })).map(({ problem }) => problem)
}

const one = '| 1 | `apps/a/src/one.ts` | | reads |'
const two = '| 2 | `apps/a/src/two.ts` |  | adds |'

test('accepts files of which each imports the next one, or which a named file connects', () => {
  const three = '| 3 | `libs/b/src/three.ts` | `apps/a/src/wiring.ts` | writes |'
  expect(problemsOf([one, two, three])).toEqual([])
  expect(problemsOf([one, two, '| 3 | `apps/a/src/two.ts` | row 1 | adds |'])).toEqual([])
})

test('reports a file that does not exist', () => {
  expect(problemsOf([one, '| 2 | `apps/a/src/gone.ts` |  | adds |'])).toEqual([
    'names apps/a/src/gone.ts, which does not exist',
  ])
})

test('reports consecutive files that are not connected', () => {
  const three = '| 3 | `libs/b/src/three.ts` |  | writes |'
  expect(problemsOf([one, two, three])).toEqual(['neither apps/a/src/two.ts nor libs/b/src/three.ts imports the other'])
  expect(problemsOf([one, two, three.replace('|  |', '| `apps/a/src/one.ts` |')])).toEqual([
    'neither libs/b/src/three.ts nor apps/a/src/one.ts imports the other',
  ])
})

test('reports a path of more than 15 files', () => {
  const rows = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? one : two).replace(/\d+/, `${index + 1}`))
  expect(problemsOf(rows)).toEqual(['begins a data path through 16 files; the maximum is 15'])
})

test('reports a file whose first comment does not name the next file', () => {
  const three = '| 3 | `apps/a/src/wiring.ts` | row 2 | starts |'
  const four = '| 4 | `apps/a/src/two.ts` | | adds |'
  expect(problemsOf([one, two.replace('2', '1')])).toEqual([])
  expect(problemsOf([three, four])).toEqual(['the comment at the top of apps/a/src/wiring.ts does not name two.ts'])
})
