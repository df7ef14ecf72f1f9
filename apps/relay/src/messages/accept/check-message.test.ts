import { describe, expect, test } from 'vitest'
import { messageRecipients, partsBeyond } from './check-message.ts'

const rules = { region: 'DE', skipValidation: false } as const
const text = (content: string) => ({ kind: 'text', text: content }) as const
const data = (octets: number) => ({ kind: 'data', data: Buffer.alloc(octets).toString('base64'), port: 5000 }) as const

describe('messageRecipients', () => {
  test('keeps the order of the request', () => {
    const recipients = messageRecipients(['+4915112345678', '+14155550123'], rules)
    expect(recipients).toEqual({ ok: true, numbers: ['+4915112345678', '+14155550123'] })
  })

  test('names both positions when two spellings are the same number', () => {
    expect(messageRecipients(['+14155550123', '+49 151 12345678', '0151/12345678'], rules)).toEqual({
      ok: false,
      errors: [
        {
          path: 'phoneNumbers[2]',
          reason: 'phone_number_repeated',
          message: 'is the same number as phoneNumbers[1]: remove one of them',
        },
      ],
    })
  })

  test('reports every invalid number with its position', () => {
    expect(messageRecipients(['nobody', '+14155550123', '+1'], rules)).toEqual({
      ok: false,
      errors: [
        {
          path: 'phoneNumbers[0]',
          reason: 'phone_number_invalid',
          values: { value: 'nobody' },
          message: '"nobody" is not a valid phone number: use the international format, for example +447400123456',
        },
        {
          path: 'phoneNumbers[2]',
          reason: 'phone_number_too_short',
          values: { value: '+1' },
          message: '"+1" is too short for a phone number',
        },
      ],
    })
  })

  test('leaves encrypted numbers to the agent, even repeated ones', () => {
    expect(messageRecipients(['$a$', '$a$'], 'encrypted')).toEqual({ ok: true, numbers: ['$a$', '$a$'] })
  })
})

describe('partsBeyond', () => {
  test('returns the number of parts only if it exceeds the maximum', () => {
    expect(partsBeyond(text('a'.repeat(153 * 255)), 255)).toBeUndefined()
    expect(partsBeyond(text('a'.repeat(153 * 255 + 1)), 255)).toBe(256)
  })

  test('counts the shorter parts of UCS-2 texts', () => {
    expect(partsBeyond(text('ж'.repeat(67 * 3)), 3)).toBeUndefined()
    expect(partsBeyond(text('ж'.repeat(67 * 3 + 1)), 3)).toBe(4)
  })

  test('does not split a surrogate pair between two parts', () => {
    const pairs = '\u{1f600}'.repeat(99)
    expect(partsBeyond(text(pairs), 3)).toBeUndefined()
    expect(partsBeyond(text(`${pairs}\u{1f600}`), 3)).toBe(4)
  })

  test('allows more characters in a single part than in each of many', () => {
    expect(partsBeyond(text('a'.repeat(160)), 1)).toBeUndefined()
    expect(partsBeyond(text('a'.repeat(161)), 1)).toBe(2)
  })

  test('counts data in octets, in addition to its port header', () => {
    expect(partsBeyond(data(133), 1)).toBeUndefined()
    expect(partsBeyond(data(134), 1)).toBe(2)
    expect(partsBeyond(data(128 * 255), 255)).toBeUndefined()
    expect(partsBeyond(data(128 * 255 + 1), 255)).toBe(256)
  })
})
