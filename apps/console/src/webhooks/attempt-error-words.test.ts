import { afterEach, expect, test } from 'vitest'
import { chooseLocale } from '../words/language.ts'
import { loadLocale } from '../words/text.ts'
import { attemptErrorWords } from './attempt-error-words.ts'

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

test.each([
  ['host name not found', 'Hostname nicht gefunden'],
  ['connection refused', 'Verbindung abgelehnt'],
  ['no answer within 30 s', 'Keine Antwort innerhalb des Zeitlimits'],
  ['the certificate is not trusted (CERT_HAS_EXPIRED)', 'Das Zertifikat ist nicht vertrauenswürdig (CERT_HAS_EXPIRED)'],
  [
    'hook.example resolves to 10.0.0.1, which is not public: only the operator can allow it (WEBHOOK_ALLOW_CIDRS)',
    'Die Adresse 10.0.0.1 ist nicht öffentlich. Nur der Betreiber kann sie erlauben (WEBHOOK_ALLOW_CIDRS).',
  ],
  ['the response headers are too long', 'Die Header der Antwort sind zu lang'],
  ['the webhook was disabled', 'Der Webhook wurde deaktiviert'],
  ['the receiver answered 410 Gone', 'Der Server antwortete mit 410 Gone'],
  [
    'every attempt for five days failed, the last one with: connection refused',
    'Fünf Tage lang schlug jeder Versuch fehl. Letzter Fehler: Verbindung abgelehnt',
  ],
  [
    'the URL of the webhook was changed with a token that may not read this event (scope required: inbox:read)',
    'Die URL wurde mit einem Token geändert, das dieses Ereignis nicht lesen darf (nötiger Scope: inbox:read)',
  ],
  [
    'every attempt for five days failed, the last one with: hook.example resolves to 10.0.0.1, which is not public: only the operator can allow it (WEBHOOK_ALLOW_CIDRS)',
    'Fünf Tage lang schlug jeder Versuch fehl. Letzter Fehler: Die Adresse 10.0.0.1 ist nicht öffentlich. Nur der Betreiber kann sie erlauben (WEBHOOK_ALLOW_CIDRS).',
  ],
  ['a reason of a newer relay', 'a reason of a newer relay'],
])('shows in German why a request failed: %s', async (error, words) => {
  await loadLocale(chooseLocale('de', ['de']))
  expect(attemptErrorWords(error)).toBe(words)
})

test('shows the text of the API in English', () => {
  expect(attemptErrorWords('no answer within 30 s')).toBe('No answer within 30 s')
})
