import type { Route } from '../route.ts'

/** Returns every status that a route may answer with, in ascending order. */
export function answerStatuses({ endpoint, access }: Route): number[] {
  return [
    ...new Set([
      ...Object.keys(endpoint.answers).map(Number),
      ...(endpoint.errors ?? []),
      ...(access === 'public' ? [] : [401, 403, 429]),
      ...(endpoint.body ? [408, 413, 415] : []),
      ...(endpoint.params && endpoint.unknownId === undefined ? [404] : []),
      ...('unavailable' in endpoint ? [501] : []),
      // Any request may lack a Host header or meet an internal error.
      400,
      500,
      503,
    ]),
  ].sort((a, b) => a - b)
}
