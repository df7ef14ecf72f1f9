import { expect, test } from 'vitest'
import { z } from 'zod'
import { exactRequestBody, requestBody } from './request-body.ts'

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

const limits = exactRequestBody({ sims: z.array(z.string()).optional(), recipients: z.string().optional() })

test.each([
  ['recipient', 'is not a known field. Did you mean recipients?'],
  ['Sims', 'is not a known field. Did you mean sims?'],
  ['approval', 'is not a known field. The known fields are sims, recipients'],
])('an exact body refuses the unknown member %s and names known members', (name, message) => {
  const { error } = exactRequestBody({ limits: limits.optional() }).safeParse({ limits: { [name]: 'x' } })
  expect(error?.issues).toMatchObject([{ path: ['limits', name], message }])
})

test('an exact body treats null as absent and accepts known members', () => {
  expect(limits.parse({ sims: null, recipients: 'x' })).toEqual({ recipients: 'x' })
})
