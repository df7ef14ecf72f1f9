import { expect, test } from 'vitest'
import { consoleCatalogues } from './console-catalogues.ts'
import { CONSOLE, WORDS } from './console-texts.ts'
import { treeOfLiterals } from './repository-tree.ts'

const english = {
  'a.count': '{count, plural, one {# message} other {# messages}}',
  'a.title': 'Messages of <b>{name}</b>',
}
const source = "const a = () => [t('a.title'), t(`a.count`)]"

function problemsOf(catalogues: Readonly<Record<string, object>>, code = source): readonly string[] {
  const words = Object.entries({ en: english, ...catalogues })
  const files = words.map(([language, texts]) => [`${WORDS}${language}.json`, JSON.stringify(texts)])
  const tree = treeOfLiterals({ ...Object.fromEntries(files), [`${CONSOLE}a.ts`]: code })
  return consoleCatalogues(tree).map(({ file, problem }) => `${file.slice(WORDS.length)} ${problem}`)
}

test('accepts a complete translation', () => {
  const german = {
    'a.count': '{count, plural, one {# Nachricht} other {# Nachrichten}}',
    'a.title': 'Nachrichten von <b>{name}</b>',
  }
  expect(problemsOf({ de: german })).toEqual([])
})

test('reports a missing and an unknown text', () => {
  expect(problemsOf({ de: { 'a.count': english['a.count'], 'a.other': 'x' } })).toEqual([
    'de.json lacks "a.title"',
    'de.json has "a.other", which is not in apps/console/src/words/en.json',
  ])
})

test('reports a missing value, element and plural form', () => {
  const arabic = { 'a.count': '{count, plural, one {#} two {#} few {#} many {#} other {#}}', 'a.title': 'x' }
  expect(problemsOf({ ar: arabic })).toEqual([
    'ar.json "a.count" lacks the plural form zero',
    'ar.json "a.title" lacks <b>',
    'ar.json "a.title" lacks {name}',
  ])
})

test('reports a text that is invalid or out of order', () => {
  expect(problemsOf({ de: { 'a.title': '<b>{name</b>', 'a.count': english['a.count'] } })).toEqual([
    'de.json "a.count" is out of order: sort the keys',
    expect.stringContaining('de.json "a.title" does not parse'),
  ])
})

test('reports a text that no source file uses', () => {
  expect(problemsOf({}, "const a = () => t('a.title')")).toEqual(['en.json "a.count" is not used: delete it'])
  expect(problemsOf({}, 'const a = (b) => t(`a.$'.concat('{b}`)'))).toEqual([])
})
