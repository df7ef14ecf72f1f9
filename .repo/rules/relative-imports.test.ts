import { expect, test } from 'vitest'
import { relativeImports } from './relative-imports.ts'
import { treeOfLiterals } from './repository-tree.ts'

const check = (code: string, file = 'libs/modem/src/commands/submit.ts') =>
  relativeImports(treeOfLiterals({ [file]: code })).map((violation) => `${violation.line}: ${violation.problem}`)

test('accepts imports inside the project and by package name', () => {
  expect(
    check(
      "import { a } from './a.ts'\nexport type { B } from '../b.ts'\nimport x from '../../sim/x.ts'\nimport { segment } from '@smsgw/sms/segmentation/segment'\nimport 'node:fs'\n",
    ),
  ).toEqual([])
})

test.each([
  "import { segment } from '../../../sms/src/segment.ts'",
  "import type { Part } from '../../../sms/src/segment.ts'",
  "export { segment } from '../../../sms/src/segment.ts'",
  "import '../../../sms/src/segment.ts'",
  "type Part = import('../../../sms/src/segment.ts').Part",
  "const { segment } = await import('../../../sms/src/segment.ts')",
  'const { segment } = await import(`../../../sms/src/segment.ts`)',
  "const { segment } = require('../../../sms/src/segment.ts')",
  "import {\n  segment\n} from\n  '../../../sms/src/segment.ts'",
])('refuses an import from outside the project: %s', (code) => {
  expect(check(code)[0]).toContain('imports ../../../sms/src/segment.ts, which is in another project')
})

test('refuses paths that avoid a package name', () => {
  expect(check("\nimport x from '../../../../node_modules/zod/index.js'")).toEqual([
    "2: imports ../../../../node_modules/zod/index.js: use the package's name",
  ])
  expect(check("import x from '/srv/smsgw/x.ts'")).toEqual([
    '1: imports /srv/smsgw/x.ts: a path that exists only on one machine',
  ])
})

test('accepts imports between configuration and repository scripts, and refuses them in projects', () => {
  const totals = "import { T } from '../.repo/vitest-totals.ts'"
  expect(check(totals, '.config/vitest.ts')).toEqual([])
  expect(check("import c from '../../.config/vitest.ts'", 'apps/agent/vitest.ts')).toHaveLength(1)
})

test('refuses an import of a test in other code', () => {
  expect(check("import { a } from './a.test.ts'")).toEqual(['1: imports ./a.test.ts: only tests may import tests'])
  expect(check("import { a } from './a.test.ts'", 'libs/modem/src/b.test.ts')).toEqual([])
})

test('ignores imports in comments and strings', () => {
  expect(check('// import "../../../sms/x.ts"\nconst s = "import \'../../../sms/x.ts\'"')).toEqual([])
})
