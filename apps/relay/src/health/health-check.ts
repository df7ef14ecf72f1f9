import type { HealthCheck } from '@smsgw/contract/health'

/** What a question is about: is the process alive, may it get requests, has it started. */
export type Probe = 'live' | 'ready' | 'startup'

/** Something that can be well or not. */
export interface HealthSource {
  /** `<component>:<name>`, as in `database:connect`. */
  readonly name: string
  readonly probes: readonly Probe[]
  check(): HealthCheck | Promise<HealthCheck>
}
