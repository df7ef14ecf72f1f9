import { expect, test } from 'vitest'
import { problemText, wholeProblemText } from './problem-texts.ts'

test.each([
  [
    'phoneNumbers[0]',
    '"hello" is not a valid phone number: use the international format, for example +447400123456',
    '“hello” isn’t a valid phone number. Use the international format, for example +447400123456.',
  ],
  ['phoneNumbers[2]', '"+4412" is too short for a phone number', '“+4412” is too short for a phone number.'],
  [
    'phoneNumbers[2]',
    'is the same number as phoneNumbers[0]: remove one of them',
    'To: the same number is listed twice.',
  ],
  ['textMessage.text', 'must not be empty', 'Message is required.'],
  ['scheduleAt', 'must be in the future: leave it out to send now', 'Send at must be in the future.'],
  ['newPassword', 'must have at least 8 characters', 'New password must have at least 8 characters.'],
  [
    'messages.send_interval_min',
    '10 is more than messages.send_interval_max (5): lower it, or raise messages.send_interval_max',
    'Minimum pause (10) is more than maximum pause (5).',
  ],
  ['messages.limit_value', 'must be at least 1', 'Message limit must be at least 1.'],
  [
    'textMessage.text',
    'needs 12 parts, but at most 10 are allowed: shorten it',
    'The text needs 12 parts, but the limit is 10. Shorten it.',
  ],
  [
    'limits.recipients[1]',
    '"+44x" is not a number such as +447400123456 or a prefix that ends with an asterisk, such as +44*',
    '“+44x” isn’t a number such as +447400123456 or a prefix such as +44*.',
  ],
  ['limits.recipientsPerDay', 'must be at least 1', 'Daily limit must be at least 1.'],
  [
    'limits',
    'cannot be combined with the scope keys:manage, which could lift them',
    'A key with limits can’t have the scope keys:manage, which could lift them.',
  ],
  ['expiresAt', 'must be in the future: leave it out for a key without expiry', 'Expires must be in the future.'],
])('%s %s', (path, message, sentence) => {
  expect(problemText({ path, message })).toBe(sentence)
})

test('names the member when the problem has no text in the catalogue', () => {
  expect(problemText({ path: 'colour', message: 'must be blue' })).toBe('colour must be blue')
})

test.each([
  ['wrong user name or password', 'Wrong username or password.'],
  ['too many wrong passwords for this account; try again in 30 s', 'Too many attempts. Try again in 30 seconds.'],
  ['the text of a newer relay', 'the text of a newer relay'],
])('%s', (message, text) => {
  expect(wholeProblemText(message)).toBe(text)
})
