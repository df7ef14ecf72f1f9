import type { HealthSource } from './health-check.ts'

/** Fails from the start of a shutdown, so that load balancers send no more requests. */
export function drainHealth(isDraining: () => boolean): HealthSource {
  return {
    name: 'server:accepting',
    probes: ['ready'],
    check: () => ({
      status: isDraining() ? 'fail' : 'pass',
      description: isDraining() ? 'shutting down' : 'accepting requests',
      observedValue: isDraining() ? 0 : 1,
      observedUnit: 'boolean',
    }),
  }
}
