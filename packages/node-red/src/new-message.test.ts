import { expect, test } from 'vitest'
import { idempotencyKey, type MessageFields, newText } from './new-message.ts'

const FIELDS: MessageFields = { to: '', text: '', deviceId: '', simNumber: '', priority: '', ttl: '' }

test('uses numbers and text of the message, unless the node contains them', () => {
  expect(newText({ to: ['+447400123456'], payload: 'Hello' }, FIELDS)).toEqual({
    to: ['+447400123456'],
    text: 'Hello',
  })
  expect(newText({ payload: 21.5 }, { ...FIELDS, to: '+447400123456, +447400123457' })).toEqual({
    to: ['+447400123456', '+447400123457'],
    text: '21.5',
  })
  expect(newText({ to: '1', payload: 'ignored' }, { ...FIELDS, text: 'Door open' }).text).toBe('Door open')
})

test('replaces the fields of the node with members of msg.sms', () => {
  const fields = { ...FIELDS, simNumber: '1', priority: '5', ttl: '60' }
  expect(newText({ to: '1', payload: 'x', sms: { simNumber: 2, validUntil: undefined } }, fields)).toEqual({
    to: ['1'],
    text: 'x',
    simNumber: 2,
    priority: 5,
    ttl: 60,
  })
})

test.each([
  [{ payload: 'x' }, FIELDS, 'The field "To" has no phone number'],
  [{ to: '1', payload: { a: 1 } }, FIELDS, 'Text: no text'],
  [{ to: '1', payload: 'x' }, { ...FIELDS, ttl: 'soon' }, 'Valid for: "soon" is not a whole number'],
])('names the field that is wrong', (message, fields, problem) => {
  expect(() => newText(message, fields)).toThrow(problem)
})

test('a repeated message has the same key, and another text of the same message has another key', () => {
  const keyOf = (payload: string, id = 'a1', node = 'n1') =>
    idempotencyKey(node, { _msgid: id }, newText({ to: '1', payload }, FIELDS))
  expect(keyOf('x')).toBe(keyOf('x'))
  expect(new Set([keyOf('x'), keyOf('y'), keyOf('x', 'a2'), keyOf('x', 'a1', 'n2')]).size).toBe(4)
  expect(idempotencyKey('n1', { _msgid: 'a1', idempotencyKey: 'order-1' }, { to: '1', text: 'x' })).toBe('order-1')
})
