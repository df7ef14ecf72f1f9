import { expect, test } from 'vitest'
import { paging, refuseReversedRange, timeRange } from './paging.ts'
import { queryBoolean, queryInteger, requestQuery } from './request-query.ts'

test.each([
  ['true', true],
  ['1', true],
  ['True', true],
  ['false', false],
  ['0', false],
])('parses %s as a boolean', (text, value) => {
  expect(queryBoolean.parse(text)).toBe(value)
})

test.each(['yes', '', '2', 'truee', '__proto__', 'constructor'])('refuses %j as a boolean', (text) => {
  expect(queryBoolean.safeParse(text).success).toBe(false)
})

test.each(['', ' 5', '5 ', '1e1', '0x5', '5.0', 'five', '99', '-6', '9'.repeat(40)])(
  'refuses %j as an integer up to ten',
  (text) => {
    expect(queryInteger(-5, 10).safeParse(text).success).toBe(false)
  },
)

test('parses integers', () => {
  expect(['7', '-5', '+3', '010'].map((text) => queryInteger(-5, 10).parse(text))).toEqual([7, -5, 3, 10])
})

const page = requestQuery({ ...timeRange, ...paging }).check(refuseReversedRange)

test('uses 50 items per page by default, treats empty values as absent and ignores unknown parameters', () => {
  expect(page.parse({})).toEqual({ limit: 50, offset: 0 })
  expect(page.parse({ limit: '', offset: '', from: '', more: 'x' })).toEqual({ limit: 50, offset: 0 })
  expect(page.parse({ limit: '100', offset: '7', cursor: 'abc' })).toEqual({ limit: 100, offset: 7, cursor: 'abc' })
})

test.each([{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { offset: '99999999999' }, { from: 'today' }])(
  '%j is refused',
  (query) => {
    expect(page.safeParse(query).success).toBe(false)
  },
)

test('refuses a period that ends before it starts and accepts a period of zero length', () => {
  const range = (from: string, to: string) => page.safeParse({ from, to }).success
  expect(range('2026-03-01T00:00:01Z', '2026-03-01T00:00:00Z')).toBe(false)
  expect(range('2026-03-01T07:00:00+07:00', '2026-03-01T00:00:00Z')).toBe(true)
})
