import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import { route } from '../route.ts'
import { testServer } from '../testing/test-server.ts'
import { checkAnswer } from './check-answer.ts'

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
  'a documented answer passes: %j',
  (answer) => {
    expect(() => checkAnswer(thing, answer)).not.toThrow()
  },
)

test.each([
  [{ status: 200 }, 'does not match its schema'],
  [{ status: 200, body: { id: 1 } }, 'id: '],
  [{ status: 200, body: { id: 'a', secret: 'b' } }, 'does not match its schema'],
  [{ status: 200, body: { id: 'a', at: null } }, 'at: '],
  [{ status: 204, body: {} }, 'its route declares none'],
  [{ status: 201, body: { id: 'a' } }, 'does not declare'],
  [{ status: 409, body: { code: 409 } }, 'does not match its schema'],
])('%j is reported', (answer, words) => {
  expect(() => checkAnswer(thing, answer)).toThrow(words)
})

test.each([
  [409, 409],
  [410, 500],
])('a server that checks its answers sends an error with status %i as %i', async (status, answered) => {
  const failing = endpoint({
    ...thing.endpoint,
    async handle() {
      throw new ApiError(status, 'no')
    },
  })
  await using server = await testServer({ routes: [{ ...thing, endpoint: failing }], checkAnswer })
  const response = await server.send('GET', '/3rdparty/v1/things/a', { headers: { authorization: 'all:any' } })
  expect(response.status).toBe(answered)
})
