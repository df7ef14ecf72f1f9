import { Readable } from 'node:stream'
import type { Answer, Call, Endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'

/**
 * Builds an endpoint that only reads. If the caller allows stale data with `Cache-Control: max-stale`, a read replica
 * answers, with the age of its data in `Age`. The primary answers all other requests, and those that no replica can
 * answer.
 */
export function staleEndpoint<Deps extends { readonly database: Database }>(
  endpointOf: (deps: Deps) => Endpoint,
  deps: Deps & { readonly replicas: Replicas },
): Endpoint {
  const { replicas } = deps
  const primary = endpointOf(deps)
  const copies = new Map<Replica, Endpoint>(
    replicas.all.map((replica) => [replica, endpointOf({ ...deps, database: replica.database })]),
  )
  return {
    ...primary,
    requestHeaders: { ...primary.requestHeaders, 'Cache-Control': ALLOW_STALE },
    answerHeaders: { ...primary.answerHeaders, Age: AGE },
    async handle(call) {
      const mostAgeMs = mostAgeOf((call as Call<never, never, never>).headers['cache-control'])
      if (mostAgeMs === undefined) return await primary.handle(call)
      const stale = await replicas.read(
        mostAgeMs,
        async (replica): Promise<Answer | ApiError> => {
          try {
            return await (copies.get(replica) ?? primary).handle(call)
          } catch (error) {
            if (error instanceof ApiError) return error
            throw error
          }
        },
        isComplete,
      )
      if (stale === undefined) return await primary.handle(call)
      const { result, ageMs } = stale
      if (result instanceof ApiError) throw result
      return { ...result, headers: { ...result.headers, Age: String(Math.ceil(ageMs / 1000)) } }
    },
  }
}

const ALLOW_STALE =
  '`max-stale=60`: the response may lack changes of the last 60 seconds, so that a read replica can serve it. Without this ' +
  'header, the response contains all changes'
const AGE =
  'How old the data is at most, in seconds. Only if a read replica served a request with `Cache-Control: max-stale`'

/**
 * Returns false for an unknown id, which may be newer than the data of the replica; for a search that the replica is
 * too busy for; and for data that is read from the replica while it is sent, because the primary cannot take over in
 * the middle of an answer.
 */
function isComplete(result: Answer | ApiError): boolean {
  if (result.status === 404 || result.status === 503) return false
  if (result instanceof ApiError || !(result.body instanceof Readable)) return true
  result.body.destroy()
  return false
}

/**
 * Returns the age of data that the caller allows, in milliseconds (RFC 9111, 5.2.1.2), or undefined if the caller
 * allows no stale data. `max-stale` without a number allows any age.
 */
export function mostAgeOf(cacheControl: string | undefined): number | undefined {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  if (directives.includes('no-cache') || directives.includes('no-store')) return undefined
  if (directives.includes('max-stale')) return Infinity
  const seconds = directives.map((one) => /^max-stale="?(\d{1,9})"?$/.exec(one)?.[1]).find((one) => one !== undefined)
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
