import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestBody } from './request-body.ts'

const body = requestBody({
  needed: z.string(),
  optional: z.string().optional(),
  preset: z.boolean().default(true),
  inner: requestBody({ optional: z.string().optional() }).optional(),
})

test('null is absent, at every depth, and unknown members are ignored', () => {
  expect(body.parse({ needed: 'x', optional: null, preset: null, inner: { optional: null }, more: 1 })).toEqual({
    needed: 'x',
    preset: true,
    inner: {},
  })
  expect(body.parse({ needed: 'x', inner: null })).toEqual({ needed: 'x', preset: true })
})

test('a needed member may not be null', () => {
  expect(body.safeParse({ needed: null }).success).toBe(false)
})

test.each([[undefined], [null], ['text'], [4], [[]], [true]])('%j is no body', (value) => {
  expect(body.safeParse(value).success).toBe(false)
})
