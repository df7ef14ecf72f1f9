import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkAnswer } from './check-answer.ts'
import { endpoint } from './endpoint.ts'
import { route } from './route.ts'

const thing = route(
  'GET',
  '/things/{id}',
  'logs:read',
  'Shows',
  endpoint({
    params: z.object({ id: z.string() }),
    answers: { 200: z.strictObject({ id: z.string(), at: z.string().optional() }), 204: null },
    errors: [409],
    handle: async () => ({ status: 204 }),
  }),
)

test.each([{ status: 200, body: { id: 'a' } }, { status: 200, body: { id: 'a', at: undefined } }, { status: 204 }])(
  'what is promised passes: %j',
  (answer) => {
    expect(() => checkAnswer(thing, answer)).not.toThrow()
  },
)

test.each([
  [{ status: 200 }, 'not as its schema says'],
  [{ status: 200, body: { id: 1 } }, 'id: '],
  [{ status: 200, body: { id: 'a', secret: 'b' } }, 'not as its schema says'],
  [{ status: 200, body: { id: 'a', at: null } }, 'at: '],
  [{ status: 204, body: {} }, 'where none is promised'],
  [{ status: 201, body: { id: 'a' } }, 'does not name'],
  [{ status: 409, body: { code: 409 } }, 'not as its schema says'],
])('%j is told apart', (answer, words) => {
  expect(() => checkAnswer(thing, answer)).toThrow(words)
})
