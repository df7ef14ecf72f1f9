// The WebSocket close codes of the link. The close reason describes the error.

/**
 * How the agent reconnects: `now` at once, `soon` with growing pauses, `slowly` with long pauses because the cause must
 * be fixed first, `never` until a person restarts the agent.
 */
export type Retry = 'now' | 'soon' | 'slowly' | 'never'

interface CloseCode {
  readonly code: number
  readonly retry: Retry
}

export const closeCodes = {
  goodbye: { code: 4000, retry: 'now' },
  /** The agent retries soon, because the cause may be a lossy proxy. The pauses grow if the error repeats. */
  malformed: { code: 4400, retry: 'soon' },
  unauthenticated: { code: 4401, retry: 'slowly' },
  /** The pairing code or the enrolment token is wrong, already used or expired. */
  'pairing-refused': { code: 4402, retry: 'never' },
  /** The device was deleted, so its agent must be paired again. */
  revoked: { code: 4403, retry: 'never' },
  /** The frame is critical and its type is unknown. */
  unsupported: { code: 4406, retry: 'slowly' },
  'timed-out': { code: 4408, retry: 'soon' },
  /** A newer connection of the same agent replaced this connection. */
  superseded: { code: 4409, retry: 'soon' },
  /** The journal is an old copy, because the relay has later events from it. */
  'old-copy': { code: 4410, retry: 'soon' },
  /** The window or the credit was exceeded, or a frame is too large. */
  'too-much': { code: 4413, retry: 'slowly' },
  /** Two agents with the same identity keep replacing each other. */
  cloned: { code: 4423, retry: 'never' },
  /** There is no common version. The reason contains the supported range. */
  version: { code: 4426, retry: 'slowly' },
  /** The database or the relay is unavailable. */
  unavailable: { code: 4503, retry: 'soon' },
} as const satisfies Record<string, CloseCode>

export type CloseName = keyof typeof closeCodes

/**
 * Returns the name of a code. Returns undefined for other codes (1001, 1006, codes of a proxy), after which the agent
 * retries soon.
 */
export function closeNameOf(code: number): CloseName | undefined {
  return (Object.keys(closeCodes) as CloseName[]).find((name) => closeCodes[name].code === code)
}
