import type { HealthSource } from './health-check.ts'

/** Red from the moment that the process is asked to end: whoever sends requests here is to stop. */
export function drainHealth(isDraining: () => boolean): HealthSource {
  return {
    name: 'server:accepting',
    probes: ['ready'],
    check: () => ({
      status: isDraining() ? 'fail' : 'pass',
      description: isDraining() ? 'ending: no more requests, please' : 'takes requests',
      observedValue: isDraining() ? 0 : 1,
      observedUnit: 'boolean',
    }),
  }
}
