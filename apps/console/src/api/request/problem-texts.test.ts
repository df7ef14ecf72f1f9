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
    'newPassword',
    'is not allowed: a password needs at least 8 characters',
    'New password must have at least 8 characters.',
  ],
  ['newPassword', 'is not allowed: a password must not be the user name', 'The password must not be the username.'],
  [
    'newPassword',
    'is not allowed: a password needs more than two different characters',
    'Use more than two different characters.',
  ],
  [
    'newPassword',
    'is not allowed: a password must have at most 128 bytes',
    'The password is too long. Use at most 128 characters, or fewer with accents or emoji.',
  ],
  [
    'url',
    'is not a valid URL: use one such as https://example.com/sms',
    'Enter a URL such as https://example.com/sms.',
  ],
  [
    'url',
    'must begin with https://: only the operator can allow plain HTTP (WEBHOOK_ALLOW_HTTP)',
    'The URL must begin with https://. Only the operator can allow HTTP (WEBHOOK_ALLOW_HTTP).',
  ],
  ['url', 'must begin with https://', 'The URL must begin with https://.'],
  [
    'url',
    'is not public: only the operator can allow 10.0.0.1 (WEBHOOK_ALLOW_CIDRS)',
    'The address 10.0.0.1 is not public. Only the operator can allow it (WEBHOOK_ALLOW_CIDRS).',
  ],
  [
    'url',
    'uses port 25, which is reserved for another protocol: use another port',
    'Port 25 is reserved for another protocol. Use another port.',
  ],
  ['pin', 'must have four to eight digits', 'A PIN has four to eight digits.'],
  [
    'name',
    'must not contain control or formatting characters',
    'Name must not contain line breaks, tabs or invisible characters.',
  ],
  [
    'messages.limit_value',
    'is required with messages.limit_period PerHour: set the number of messages in that period',
    'Enter the maximum number of messages, or choose “No limit” as the period.',
  ],
  [
    'messages.work_hours_end',
    'is required while messages.work_hours_enabled is true: set it as HH:mm',
    'Enter a time, or turn work hours off.',
  ],
  [
    'encryption.inbox_hide_sender',
    'cannot be set, because the agent of "office-pi" reports the numbers of senders: upgrade it first',
    'The agent of office-pi can’t hide senders. Upgrade it first.',
  ],
  [
    'messages.send_interval_min',
    '10 is more than messages.send_interval_max (5): lower messages.send_interval_min, or raise messages.send_interval_max',
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
    '"+44x" is neither a number (for example +447400123456) nor a prefix with an asterisk at the end (for example +44*)',
    '“+44x” isn’t a number such as +447400123456 or a prefix such as +44*.',
  ],
  ['limits.recipientsPerDay', 'must be at least 1', 'Daily limit must be at least 1.'],
  [
    'limits',
    'cannot be combined with the scope keys:manage, because the key could then remove its limits',
    'A key with limits can’t have the scope keys:manage, because the key could then remove its limits.',
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
