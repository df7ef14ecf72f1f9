import { expect, test } from 'vitest'
import { PLAIN_WORDS, plainWords } from './plain-words.ts'
import { treeOfLiterals } from './repository-tree.ts'

const list = (notYetRewritten: string[] = []) =>
  JSON.stringify({ notYetRewritten, banned: [{ phrase: '(?:is|are) told', write: 'is notified' }] })
const check = (files: Record<string, string>) =>
  plainWords(treeOfLiterals(files)).map(({ file, line, problem }) => `${file}:${line ?? ''} ${problem}`)

test('reports the banned phrase, its file and line, and what to write instead', () => {
  expect(check({ 'a.ts': 'const x = 1\n// Everybody Is Told.\n', [PLAIN_WORDS]: list() })).toEqual([
    'a.ts:2 "Is Told" sounds translated. Write instead: is notified',
  ])
})

test('matches whole words only', () => {
  expect(check({ 'a.md': 'this tolden word is tolden\n', [PLAIN_WORDS]: list() })).toEqual([])
})

test('skips data, and files that still have to be rewritten', () => {
  expect(
    check({ 'old/a.ts': 'is told', 'b.json': '"is told"', 'c.png': 'is told', [PLAIN_WORDS]: list(['old/']) }),
  ).toEqual([])
})

test('refuses an entry whose file does not exist, so that the list becomes shorter', () => {
  expect(check({ 'a.ts': '', [PLAIN_WORDS]: list(['old/']) })).toEqual([
    `${PLAIN_WORDS}: lists old/ as not yet rewritten, but old/ does not exist`,
  ])
})
