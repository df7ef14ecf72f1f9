import { expect, test } from 'vitest'
import { pathPart } from './path-part.ts'

test.each(['+447400123456', '100% OFF', 'a/b?c#d', 'a%2Fb', 'new', '<img src=x>', 'order:4711'])(
  '%s is read from an address unchanged',
  (name) => {
    const { pathname } = new URL(`/conversations/${encodeURIComponent(name)}`, 'http://any')
    expect(pathPart('/conversations', pathname)).toBe(name)
  },
)

test('an address without this part returns undefined, and a part with an invalid encoding is used unchanged', () => {
  expect(pathPart('/conversations', '/conversations')).toBeUndefined()
  expect(pathPart('/conversations', '/conversations/')).toBeUndefined()
  expect(pathPart('/conversations', '/messages/1')).toBeUndefined()
  expect(pathPart('/messages', '/messages/100%')).toBe('100%')
})
