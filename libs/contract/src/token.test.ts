import { expect, test } from 'vitest'
import { scopes } from './scopes.ts'
import { tokenRequest } from './token.ts'

test('every scope can be asked for, and inbox:read is inbox:list', () => {
  expect(tokenRequest.parse({ scopes: [...scopes] })).toEqual({ scopes })
  expect(tokenRequest.parse({ scopes: ['inbox:read'], ttl: null })).toEqual({ scopes: ['inbox:list'] })
})

test.each([0, 60, 3600, 1e12])('a life of %s is fine', (ttl) => {
  expect(tokenRequest.parse({ ttl, scopes: ['all:any'] }).ttl).toBe(ttl)
})

test.each([1, 59, -1, 60.5, '60', 1e300])('a life of %s is refused', (ttl) => {
  expect(tokenRequest.safeParse({ ttl, scopes: ['all:any'] }).success).toBe(false)
})

test('an unknown scope is named, and so are those that are known', () => {
  const { error } = tokenRequest.safeParse({ scopes: ['messages:send', 'tokens:refresh'] })
  expect(error?.issues).toMatchObject([
    { path: ['scopes', 1], message: `"tokens:refresh" is no scope; known are ${scopes.join(', ')}` },
  ])
})

test.each([{}, { scopes: [] }, { scopes: 'messages:send' }, { scopes: null }, { scopes: [null] }])(
  '%j is refused',
  (body) => {
    expect(tokenRequest.safeParse(body).success).toBe(false)
  },
)
