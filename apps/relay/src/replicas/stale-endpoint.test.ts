import { expect, test } from 'vitest'
import { type Call, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { mostAgeOf, staleEndpoint } from './stale-endpoint.ts'

test.each([
  ['max-stale=30', 30_000],
  ['Max-Stale=0', 0],
  ['max-age=0, max-stale="5"', 5_000],
  ['max-stale', Infinity],
])('%s allows data of this age: %s ms', (header, ms) => {
  expect(mostAgeOf(header)).toBe(ms)
})

test.each([
  undefined,
  '',
  'no-cache',
  'max-age=60',
  'max-stale=30, no-cache',
  'no-store, max-stale',
  'max-stale=-1',
  'max-stale=soon',
  'x-max-stale=30',
])('%s allows no stale data', (header) => {
  expect(mostAgeOf(header)).toBeUndefined()
})

const onReplica = {} as Database
const replica = { database: onReplica } as Replica
const replicas = {
  all: [replica],
  async read(_, work, isComplete) {
    const result = await work(replica)
    return isComplete(result) ? { result, ageMs: 0 } : undefined
  },
} satisfies Pick<Replicas, 'all' | 'read'> as unknown as Replicas

/** Returns the status of an endpoint that fails on the replica with this error, and the server that answered. */
async function answerTo(error: ApiError): Promise<string> {
  const endpointOf = ({ database }: { readonly database: Database }) =>
    endpoint({
      answers: { 204: null },
      async handle() {
        if (database === onReplica) throw error
        return { status: 204 }
      },
    })
  const stale = staleEndpoint(endpointOf, { database: {} as Database, replicas })
  const call = { headers: { 'cache-control': 'max-stale=10' } } as unknown as Call<never, never, never>
  return await stale.handle(call).then(
    ({ status }) => `${status} of the primary`,
    ({ status }) => `${status} of the replica`,
  )
}

test.each([
  ['the replica does not know the id', 404, '204 of the primary'],
  ['the replica is too busy to search', 503, '204 of the primary'],
  ['the request is wrong', 400, '400 of the replica'],
])('if %s (%s), the answer is %s', async (_what, status, answer) => {
  expect(await answerTo(new ApiError(status, 'refused'))).toBe(answer)
})
