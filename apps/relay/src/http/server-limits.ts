/** Limits that keep one client from blocking others. */
export interface ServerLimits {
  /** Total size of all headers; more is answered with 431. */
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  /** Time for headers and body; more is answered with 408. */
  readonly requestTimeoutMs: number
  /** Longer than usual for load balancers, so that they close first. */
  readonly keepAliveTimeoutMs: number
  /** Interval of the check for slow requests. */
  readonly checkingIntervalMs: number
  /** Length of encoded ids in a path: 36 characters of up to four octets each. */
  readonly paramLength: number
  readonly connections: number
}

export const SERVER_LIMITS: ServerLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  checkingIntervalMs: 2_000,
  paramLength: 512,
  connections: 20_000,
}
