import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { durationWords, numberWords, relativeWords } from '../ui/values/relative-words.ts'
import { chooseLocale, type Language } from './language.ts'
import { loadLocale, optionalText, rich, t } from './text.ts'

const use = (language: Language) => loadLocale(chooseLocale(language, ['en']))

afterEach(() => use('en'))

test.each([
  [null, ['de-AT', 'en'], 'de', 'de-AT', 'ltr'],
  [null, ['fr', 'es-MX'], 'es', 'es-MX', 'ltr'],
  [null, ['fr', 'ja'], 'en', 'en', 'ltr'],
  ['de', ['en-GB'], 'de', 'de', 'ltr'],
  ['ar', ['en-GB', 'ar-EG'], 'ar', 'ar-EG-u-ca-gregory-nu-latn', 'rtl'],
  ['xx', ['en-GB'], 'en', 'en-GB', 'ltr'],
] as const)('stored %s and browser %j choose %s', (stored, preferred, language, tag, direction) => {
  expect(chooseLocale(stored, preferred)).toEqual({ language, tag, direction })
})

test('plurals follow the language, Arabic with its six forms', async () => {
  const parts = (counts: readonly number[]) => counts.map((count) => t('thread.parts', { count }))
  expect(parts([1, 2])).toEqual(['1 part', '2 parts'])
  await use('ar')
  expect(parts([0, 1, 2, 3, 11, 100])).toEqual(['لا أجزاء', 'جزء واحد', 'جزآن', '3 أجزاء', '11 جزءًا', '100 جزء'])
})

test('numbers, durations and relative times follow the same locale', async () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  const words = () => [numberWords(1234.5), durationWords(4_230), relativeWords('2026-03-01T11:58:00.000Z', now)]
  expect(words()).toEqual(['1,234.5', '4.2 sec', '2 min ago'])
  await use('de')
  expect(words()).toEqual(['1.234,5', '4,2 Sek.', 'vor 2 Minuten'])
  await use('es')
  expect(words()).toEqual(['1234,5', '4,2 s', 'hace 2 minutos'])
  await use('ar')
  expect(words()).toEqual(['1,234.5', '4.2 ث', 'قبل دقيقتين'])
})

test('a phone number is not split within right-to-left text', async () => {
  await use('ar')
  expect(t('thread.title', { number: '+447400123456' })).toContain('\u2068+447400123456\u2069')
})

test('a text can contain elements', () => {
  const text = rich('pairing.done', { name: 'office-pi' })
  expect(renderToStaticMarkup(text)).toBe('<b>office-pi</b> is paired.')
})

test('a value that the catalogue does not have yet has no text', () => {
  expect(optionalText('simState.ready')).toBe('Ready')
  expect(optionalText('simState.melted')).toBeUndefined()
})
