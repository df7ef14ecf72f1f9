import { expect, test } from 'vitest'
import { messageRecipients } from './message-recipients.ts'

const rules = { region: 'DE', skipValidation: false } as const

test('keeps the order in which they were asked for', () => {
  const recipients = messageRecipients(['+4915112345678', '+14155550123'], rules)
  expect(recipients).toEqual({ ok: true, numbers: ['+4915112345678', '+14155550123'] })
})

test('names the pair when two spellings are one number', () => {
  expect(messageRecipients(['+14155550123', '+49 151 12345678', '0151/12345678'], rules)).toEqual({
    ok: false,
    errors: [{ path: 'phoneNumbers[2]', message: 'is the same number as phoneNumbers[1]' }],
  })
})

test('tells of every wrong number, with its row', () => {
  expect(messageRecipients(['nobody', '+14155550123', '+1'], rules)).toEqual({
    ok: false,
    errors: [
      { path: 'phoneNumbers[0]', message: 'is no phone number' },
      { path: 'phoneNumbers[2]', message: 'is too short' },
    ],
  })
})

test('leaves encrypted numbers to the agent, equal ones too', () => {
  expect(messageRecipients(['$a$', '$a$'], 'encrypted')).toEqual({ ok: true, numbers: ['$a$', '$a$'] })
})
