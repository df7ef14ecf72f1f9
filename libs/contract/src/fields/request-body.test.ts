import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestBody } from './request-body.ts'

const body = requestBody({
  needed: z.string(),
  optional: z.string().optional(),
  preset: z.boolean().default(true),
  inner: requestBody({ optional: z.string().optional() }).optional(),
})

test('treats null as absent at every depth and ignores unknown members', () => {
  expect(body.parse({ needed: 'x', optional: null, preset: null, inner: { optional: null }, more: 1 })).toEqual({
    needed: 'x',
    preset: true,
    inner: {},
  })
  expect(body.parse({ needed: 'x', inner: null })).toEqual({ needed: 'x', preset: true })
})

test('refuses null for a required member', () => {
  expect(body.safeParse({ needed: null }).success).toBe(false)
})

test.each([[undefined], [null], ['text'], [4], [[]], [true]])('refuses %j as a body', (value) => {
  expect(body.safeParse(value).success).toBe(false)
})
