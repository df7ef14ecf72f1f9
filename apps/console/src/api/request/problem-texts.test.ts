import { keyRefusals } from '@smsgw/contract/access/api-key'
import { fieldReasons, requestReasons } from '@smsgw/contract/fields/problem-reason'
import { afterEach, describe, expect, test } from 'vitest'
import { chooseLocale, languages } from '../../words/language.ts'
import { loadLocale } from '../../words/text.ts'
import { problemText, requestProblemText } from './problem-texts.ts'

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

const english = 'the English message of the API'
const shownValues = (names: readonly string[]) => Object.fromEntries(names.map((name, at) => [name, 4_711 + at]))

describe.each(languages.map(({ code }) => code))('in %s', (language) => {
  test('every code of a field problem has words with all of its values', async () => {
    await loadLocale(chooseLocale(language, [language]))
    for (const [reason, names] of Object.entries(fieldReasons)) {
      // The relay says no more than its message.
      if (reason === 'invalid') continue
      const values = shownValues(names)
      const text = problemText({ path: 'phoneNumbers[0]', message: english, reason, values })
      expect({ reason, text }).toEqual({ reason, text: expect.not.stringContaining(english) })
      for (const value of Object.values(values))
        expect({ reason, text: text.replace(/[.,\s]/g, '') }).toEqual({
          reason,
          text: expect.stringContaining(String(value)),
        })
    }
  })

  test('every code of a refused request has words', async () => {
    await loadLocale(chooseLocale(language, [language]))
    const reasons = { ...requestReasons, ...Object.fromEntries(keyRefusals.map((reason) => [reason, []])) }
    for (const [reason, names] of Object.entries(reasons)) {
      const words = requestProblemText({ status: 409, message: english, reason, values: shownValues(names) })
      expect({ reason, ...words }).toEqual({ reason, text: expect.not.stringContaining(english) })
    }
  })
})

test.each([
  ['phoneNumbers[2]', 'phone_number_too_short', { value: '+4412' }, '“+4412” is too short for a phone number.'],
  ['phoneNumbers[2]', 'phone_number_repeated', {}, 'To: the same number is listed twice.'],
  ['textMessage.text', 'required', {}, 'Message is required.'],
  ['scheduleAt', 'not_in_future', {}, 'Send at must be in the future.'],
  ['newPassword', 'too_short', { minimum: 8 }, 'New password must have at least 8 characters.'],
  ['messages.limit_value', 'too_small', { minimum: 1 }, 'Message limit must be at least 1.'],
  [
    'textMessage.text',
    'too_many_parts',
    { parts: 12, maximum: 10 },
    'The text needs 12 parts, but the limit is 10. Shorten it.',
  ],
])('%s %s is a sentence with the name of the field', (path, reason, values, text) => {
  expect(problemText({ path, reason, values, message: english })).toBe(text)
})

test.each([
  ['an older relay', {}],
  ['a newer relay', { reason: 'made_of_cheese' }],
  ['a relay that omits a value', { reason: 'too_small' }],
  ['a problem that only its message describes', { reason: 'invalid' }],
])('shows the field and the message for %s', (_, more) => {
  expect(problemText({ path: 'name', message: 'must be blue', ...more })).toBe('Name: must be blue')
})

test('a decision by an unknown person is described without a name', () => {
  const refusal = { status: 409, message: english, reason: 'approval_decided' }
  const textBy = (by: string) => requestProblemText({ ...refusal, values: { decision: 'refused', by } }).text
  expect(textBy('ada')).toBe('ada has already rejected this message.')
  expect(textBy('')).toBe('This message has already been rejected.')
})

test('a refusal without a code says what its status means, with the message as a detail', async () => {
  const refusal = { status: 503, message: 'the gateway is asleep' }
  expect(requestProblemText(refusal)).toEqual({ text: 'The gateway is asleep' })
  await loadLocale(chooseLocale('de', ['de']))
  expect(requestProblemText(refusal)).toEqual({
    text: expect.stringContaining('nicht verfügbar'),
    detail: 'the gateway is asleep',
  })
})
