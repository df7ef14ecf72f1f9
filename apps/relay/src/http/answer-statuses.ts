import type { Route } from './route.ts'

/** Every status that a route may answer with, in order. */
export function answerStatuses({ endpoint, access }: Route): number[] {
  return [
    ...new Set([
      ...Object.keys(endpoint.answers).map(Number),
      ...(endpoint.errors ?? []),
      ...(access === 'public' ? [] : [401, 403, 429]),
      ...(endpoint.body ? [400, 408, 413, 415] : []),
      ...(endpoint.query ? [400] : []),
      ...(endpoint.params ? [404] : []),
      ...(endpoint.unavailable === undefined ? [] : [501]),
      500,
      503,
    ]),
  ].sort((a, b) => a - b)
}
