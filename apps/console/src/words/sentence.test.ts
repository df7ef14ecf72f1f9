import { expect, test } from 'vitest'
import { sentence } from './sentence.ts'

test.each([
  ['the network refused the message', 'The network refused the message'],
  ['held: the SIM is roaming', 'Held: the SIM is roaming'],
  ['élan', 'Élan'],
  ['textMessage.text cannot be decrypted', 'textMessage.text cannot be decrypted'],
  ['deviceId is unknown', 'deviceId is unknown'],
  ['sms.limit is reached', 'sms.limit is reached'],
  ['phoneNumbers[0] is not valid', 'phoneNumbers[0] is not valid'],
  ['agent_failed', 'agent_failed'],
  ['Held for approval.', 'Held for approval.'],
  ['', ''],
])('%j is shown as %j', (text, expected) => {
  expect(sentence(text)).toBe(expected)
})
