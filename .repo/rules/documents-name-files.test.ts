import { expect, test } from 'vitest'
import { documentsNameFiles } from './documents-name-files.ts'
import { treeOfLiterals } from './repository-tree.ts'

const check = (text: string, file = 'docs/architecture.md') =>
  documentsNameFiles(
    treeOfLiterals({
      'package.json': '{"scripts":{"test":"","fuzz":""}}',
      'libs/sms/src/segment.ts': '',
      'docs/glossary.md': '',
      [file]: text,
    }),
  ).map((violation) => `${violation.line}: ${violation.problem}`)

test('existing files, folders, anchors, addresses and scripts pass', () => {
  expect(
    check(
      '`libs/sms` `libs/sms/src/segment.ts` [g](glossary.md#a) [up](../libs/sms/) [w](https://x.y/z) `npm test` `npm run fuzz`',
    ),
  ).toEqual([])
})

test('a path that is gone is refused with its line', () => {
  expect(check('a\n`libs/sms/src/gone.ts`')).toEqual(['2: names libs/sms/src/gone.ts, which does not exist'])
})

test('a dead link is refused', () => {
  expect(check('[g](glossar.md)')).toEqual(['1: links to glossar.md, which does not exist'])
})

test('a script that package.json lacks is refused, in prose and in a code block', () => {
  const gone = 'names the npm script "relay", which package.json does not have'
  expect(check('`npm run relay`\n```\nnpm run relay -- --help\n```')).toEqual([`1: ${gone}`, `3: ${gone}`])
  expect(check('npm start')).toEqual(['1: names the npm script "start", which package.json does not have'])
})

test('patterns and placeholders are not taken for files', () => {
  expect(check('`libs/*/src` `apps/<name>/src/main.ts`')).toEqual([])
})
