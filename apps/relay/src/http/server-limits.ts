/** Limits that prevent a client from blocking others. */
export interface ServerLimits {
  /** Total size of all headers. Larger headers are answered with 431. */
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  /** Time for headers and body. A slower request is answered with 408. */
  readonly requestTimeoutMs: number
  /** How long an idle connection stays open. Load balancers usually wait less, so that they close connections first. */
  readonly keepAliveTimeoutMs: number
  /** Interval of the check for slow requests. */
  readonly checkingIntervalMs: number
  /** Maximum length of an encoded id in a path. An id has up to 36 characters of up to four octets. */
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
