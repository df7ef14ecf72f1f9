import { expect, test } from 'vitest'
import { messageRecipients } from './check-message.ts'

const rules = { region: 'DE', skipValidation: false } as const

test('keeps the order of the request', () => {
  const recipients = messageRecipients(['+4915112345678', '+14155550123'], rules)
  expect(recipients).toEqual({ ok: true, numbers: ['+4915112345678', '+14155550123'] })
})

test('names both positions when two spellings are the same number', () => {
  expect(messageRecipients(['+14155550123', '+49 151 12345678', '0151/12345678'], rules)).toEqual({
    ok: false,
    errors: [{ path: 'phoneNumbers[2]', message: 'is the same number as phoneNumbers[1]: remove one of them' }],
  })
})

test('reports every invalid number with its position', () => {
  expect(messageRecipients(['nobody', '+14155550123', '+1'], rules)).toEqual({
    ok: false,
    errors: [
      {
        path: 'phoneNumbers[0]',
        message: '"nobody" is not a valid phone number: use the international format, for example +447400123456',
      },
      { path: 'phoneNumbers[2]', message: '"+1" is too short for a phone number' },
    ],
  })
})

test('leaves encrypted numbers to the agent, even equal ones', () => {
  expect(messageRecipients(['$a$', '$a$'], 'encrypted')).toEqual({ ok: true, numbers: ['$a$', '$a$'] })
})
