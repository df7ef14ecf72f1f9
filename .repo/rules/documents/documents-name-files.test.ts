import { expect, test } from 'vitest'
import { treeOfLiterals } from '../repository-tree.ts'
import { documentsNameFiles } from './documents-name-files.ts'

const check = (text: string, file = 'docs/architecture.md') =>
  documentsNameFiles(
    treeOfLiterals({
      'package.json': '{"scripts":{"test":"","fuzz":""}}',
      'docker-compose.yml': '',
      'libs/sms/src/segment.ts': '',
      'libs/sms/src/segment.test.ts': '',
      'docs/glossary.md': '# Glossary\n## A word\n## `B`, and more\n## A word\n',
      'README.md': '# Readme\n',
      [file]: text,
    }),
  ).map((violation) => `${violation.line}: ${violation.problem}`)

test.each([
  '`libs/sms` `libs/sms/src/segment.ts` `./libs/sms/` `node libs/sms/src/segment.ts:12`',
  '[g](glossary.md#a-word) [g](glossary.md "words") [g](<glossary.md>) [root](/docs/glossary.md)',
  '# Here\n[w](https://x.y/z) [m](mailto:a@b.c) [here](#here)',
  '[a](glossary.md#a-word-1) [b](glossary.md#b-and-more)',
  '[g]: glossary.md "words"\n[w]: https://x.y/z',
  '`docker-compose.yml` `./package.json` `segment.ts` `.test.ts`',
  '`npm test` `npm run fuzz`',
  '```sh\nnode ./libs/sms/src/segment.ts --all\n```',
])('accepts a name that exists: %s', (text) => {
  expect(check(text)).toEqual([])
})

test.each([
  '`libs/*/src` `apps/<name>/src/main.ts` `libs/$name` `libs/…`',
  '`./data/emulator/modem0` `/dev/ttyUSB2` `/var/lib/smsgw/docs/x` `./data/credentials.json`',
  '```\n./data/emulator/modem0\nhttps://x.y/docs/gone\n[a](gone.md)\nsome.json\n```',
  '`curl x/docs/gone` `AT+CMGS` `Node.js` `list[i](x)`',
])('accepts a file created at run time, a pattern, and a text that is not a path: %s', (text) => {
  expect(check(text)).toEqual([])
})

test('refuses a missing path with its line', () => {
  expect(check('a\n`libs/sms/src/gone.ts`')).toEqual(['2: names libs/sms/src/gone.ts, which does not exist'])
  expect(check('`./libs/gone`')).toEqual(['1: names libs/gone, which does not exist'])
  expect(check('`node .repo/gone.ts --all`')).toEqual(['1: names .repo/gone.ts, which does not exist'])
})

test('refuses a missing path in a code block', () => {
  expect(check('```sh\nnode .repo/gone.ts   # all\nX=apps/gone/run.sh\n```')).toEqual([
    '2: names .repo/gone.ts, which does not exist',
    '3: names apps/gone/run.sh, which does not exist',
  ])
})

test('refuses a file name without a folder if no file has this name', () => {
  expect(check('`docker-compose.yaml` `./glossary.md`')).toEqual([
    '1: names docker-compose.yaml, which does not exist',
    '1: names ./glossary.md, which does not exist',
  ])
})

test('refuses a dead link, with and without a title, inline and by reference', () => {
  const gone = '1: links to glossar.md, which does not exist'
  for (const text of [
    '[g](glossar.md)',
    '[g](glossar.md "t")',
    '![g](glossar.md#a)',
    '[g]: glossar.md',
    '[g]: <glossar.md>',
  ])
    expect(check(text)).toEqual([gone])
  expect(check('[g](/glossary.md)')).toEqual(['1: links to /glossary.md, which does not exist'])
})

test('refuses an unknown npm script, in prose and in a code block', () => {
  const gone = 'names the npm script "relay", which package.json does not have'
  expect(check('`npm run relay`\n```\nnpm run relay -- --help\n```')).toEqual([`1: ${gone}`, `3: ${gone}`])
  expect(check('npm start')).toEqual(['1: names the npm script "start", which package.json does not have'])
})

test('refuses a link to a heading that does not exist', () => {
  expect(check('[g](glossary.md#a-letter)')).toEqual([
    '1: links to glossary.md#a-letter, and docs/glossary.md has no such heading',
  ])
  expect(check('# Here\n```\n# There\n```\n[t](#there)')).toEqual([
    '5: links to #there, and docs/architecture.md has no such heading',
  ])
})

test('refuses a link to a file outside the site, except in documents that do not belong to the site', () => {
  expect(check('[r](../README.md)')).toEqual([
    '1: links to ../README.md, which is not part of the site: name the file without a link',
  ])
  expect(check('[r](docs/glossary.md#a-word) [s](libs/sms)', 'README.md')).toEqual([])
})
