import { expect, test } from 'vitest'
import { treeOfLiterals } from './repository-tree.ts'
import { typeChecked } from './type-checked.ts'

const check = (file: string, text = '') =>
  typeChecked(
    treeOfLiterals({
      '.config/tsconfig.json':
        '{"include":["*.ts","../.repo/**/*.ts","../libs/*/src/**/*.test.ts","../libs/*/fuzz/**/*.ts"]}',
      [file]: text,
    }),
  ).map((violation) => `${violation.line ?? 0}: ${violation.problem}`)

test.each([
  'libs/sms/src/segment.ts',
  'libs/sms/src/wap/push.test.ts',
  'libs/sms/fuzz/fuzz-pdus.ts',
  '.repo/rules/long-files.ts',
  '.config/vitest.ts',
])('%s belongs to a compilation', (file) => {
  expect(check(file)).toEqual([])
})

test.each(['libs/sms/tools/print.ts', 'apps/agent/src/main.test.ts', 'prisma/seed.ts', 'script.mts'])(
  'refuses %s, which no compilation includes',
  (file) => expect(check(file)).toEqual(['0: is not type-checked: .config/tsconfig.json does not include it']),
)

test.each(['// @ts-nocheck', '//@ts-ignore because', '/* @ts-ignore */', '/*\n * @ts-nocheck\n */'])(
  'refuses %s anywhere',
  (comment) => {
    for (const file of ['libs/sms/src/segment.test.ts', '.repo/check.ts'])
      expect(check(file, `\n${comment}\nf(1)`)[0]).toMatch(/^2: silences the compiler \(@ts-(nocheck|ignore)\)$/)
  },
)

test('accepts the name of a suppression in prose and strings', () => {
  expect(check('.repo/check.ts', "// never use @ts-ignore\nconst s = '// @ts-nocheck'")).toEqual([])
})
