import { deliveryProblemCodes, deliveryProblems } from '@smsgw/contract/webhooks/delivery-problem'
import { afterEach, expect, test } from 'vitest'
import { chooseLocale, languages } from '../words/language.ts'
import { loadLocale } from '../words/text.ts'
import { attemptErrorWords } from './attempt-error-words.ts'

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

const samples: Readonly<Record<string, string | number>> = {
  seconds: 15,
  host: 'hook.example',
  address: '10.0.0.1',
  problem: 'must begin with https://',
  error: 'CERT_HAS_EXPIRED',
  kib: 64,
  limit: 10,
  scopes: 'inbox:list',
  lastError: 'HTTP 500',
}

test.each(languages.map(({ code }) => code))('every code of the API has words in %s', async (language) => {
  await loadLocale(chooseLocale(language, [language]))
  const text = 'a text without words in the catalogue'
  const untranslated = deliveryProblemCodes.filter((code) => {
    const names: readonly string[] = deliveryProblems[code]
    const values = Object.fromEntries(names.map((name) => [name, samples[name] ?? '']))
    return attemptErrorWords(text, code, values).includes('without words')
  })
  expect(untranslated).toEqual([])
})

test('shows why a request failed, with its values, in the language of the page', async () => {
  expect(attemptErrorWords('…', 'no_answer_in_time', { seconds: 15 })).toBe('No response within 15 s')
  await loadLocale(chooseLocale('de', ['de']))
  expect(attemptErrorWords('…', 'no_answer_in_time', { seconds: 0.4 })).toBe('Keine Antwort innerhalb von 0,4 s')
  expect(attemptErrorWords('…', 'host_not_found')).toBe('Hostname nicht gefunden')
})

test('translates the last error of a webhook that was disabled', async () => {
  await loadLocale(chooseLocale('de', ['de']))
  const lastError = 'hook.example resolves to 10.0.0.1, which is not public'
  const values = { lastError, lastErrorCode: 'address_not_public', host: 'hook.example', address: '10.0.0.1' }
  expect(attemptErrorWords('…', 'failing_for_five_days', values)).toBe(
    'Fünf Tage lang ist jeder Versuch fehlgeschlagen. Letzter Fehler: Die Adresse 10.0.0.1 ist nicht öffentlich. Nur der Betreiber kann sie erlauben (WEBHOOK_ALLOW_CIDRS).',
  )
  expect(attemptErrorWords('…', 'failing_for_five_days', { lastError: 'HTTP 500' })).toBe(
    'Fünf Tage lang ist jeder Versuch fehlgeschlagen. Letzter Fehler: HTTP 500',
  )
})

test('shows the text of the API without a code, and for a code or values that this console does not know', async () => {
  await loadLocale(chooseLocale('de', ['de']))
  expect(attemptErrorWords('connection lost')).toBe('Connection lost')
  expect(attemptErrorWords('the moon is full', 'moon_is_full', {})).toBe('The moon is full')
  expect(attemptErrorWords('no answer within 15 s', 'no_answer_in_time')).toBe('No answer within 15 s')
})
