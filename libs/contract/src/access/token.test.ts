import { expect, test } from 'vitest'
import { scopes } from './scopes.ts'
import { tokenRequest } from './token.ts'

test('accepts every scope, and distinguishes inbox:read from inbox:list', () => {
  expect(tokenRequest.parse({ scopes: [...scopes] })).toEqual({ scopes })
  expect(tokenRequest.parse({ scopes: ['inbox:read'], ttl: null })).toEqual({ scopes: ['inbox:read'] })
})

test.each([0, 60, 3600, 1e12])('accepts a lifetime of %s', (ttl) => {
  expect(tokenRequest.parse({ ttl, scopes: ['all:any'] }).ttl).toBe(ttl)
})

test.each([1, 59, -1, 60.5, '60', 1e300])('refuses a lifetime of %s', (ttl) => {
  expect(tokenRequest.safeParse({ ttl, scopes: ['all:any'] }).success).toBe(false)
})

test('the error contains the unknown scope and the valid ones', () => {
  const { error } = tokenRequest.safeParse({ scopes: ['messages:send', 'tokens:refresh'] })
  expect(error?.issues).toMatchObject([
    { path: ['scopes', 1], message: `"tokens:refresh" is not a scope. Use one of ${scopes.join(', ')}` },
  ])
})

test.each([{}, { scopes: [] }, { scopes: 'messages:send' }, { scopes: null }, { scopes: [null] }])(
  '%j is refused',
  (body) => {
    expect(tokenRequest.safeParse(body).success).toBe(false)
  },
)
