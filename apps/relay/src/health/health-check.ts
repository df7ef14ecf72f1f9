import type { HealthCheck } from '@smsgw/contract/health'

/** Is the process alive, does it accept requests, is the start complete? */
export type Probe = 'live' | 'ready' | 'startup'

/** A component with a health check. */
export interface HealthSource {
  /** `<component>:<name>`, as in `database:connect`. */
  readonly name: string
  readonly probes: readonly Probe[]
  check(): HealthCheck | Promise<HealthCheck>
}
