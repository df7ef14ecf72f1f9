/** What one client may take from all others. */
export interface ServerLimits {
  /** All headers together: 431 beyond. */
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  /** Headers and body: 408 beyond. Nothing that is sent here takes long. */
  readonly requestTimeoutMs: number
  /** Longer than load balancers keep theirs, so that they close first. */
  readonly keepAliveTimeoutMs: number
  /** How often slow requests are looked for. */
  readonly checkingIntervalMs: number
  /** Of ids in a path, as they are encoded: 36 characters of up to four octets each. */
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
