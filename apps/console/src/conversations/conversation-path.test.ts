import { expect, test } from 'vitest'
import { conversationPath, listPath } from './conversation-path.ts'

test('a path contains any number or name, and only the filters that are set', () => {
  expect(conversationPath('+447400123456')).toBe('/conversations/%2B447400123456')
  expect(conversationPath('Müller/Söhne?')).toBe('/conversations/M%C3%BCller%2FS%C3%B6hne%3F')
  expect(conversationPath('+1', { q: 'a&b', folder: undefined, label: '', at: 'm1' })).toBe(
    '/conversations/%2B1?q=a%26b&at=m1',
  )
})

test('the list keeps the search and the filters, but not the message that was shown', () => {
  expect(listPath('?q=two+words&folder=unread&label=l1&at=m7')).toBe(
    '/conversations?q=two+words&folder=unread&label=l1',
  )
  expect(listPath('')).toBe('/conversations')
})
