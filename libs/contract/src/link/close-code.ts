// Why an end of the link closed the socket. The reason beside the code says it in words.

/**
 * What the agent does then: `now` connects at once, `soon` with growing pauses, `slowly` hardly ever, because somebody
 * has to mend something first, and `never` until a person starts it again.
 */
export type Retry = 'now' | 'soon' | 'slowly' | 'never'

interface CloseCode {
  readonly code: number
  readonly retry: Retry
}

export const closeCodes = {
  goodbye: { code: 4000, retry: 'now' },
  /** Said once it may have been a line that lost something in between; said again and again the pauses grow anyway. */
  malformed: { code: 4400, retry: 'soon' },
  unauthenticated: { code: 4401, retry: 'slowly' },
  /** The code or token that an agent pairs with is wrong, used or out of date. */
  'pairing-refused': { code: 4402, retry: 'never' },
  /** The device was deleted: its agent has to be paired anew. */
  revoked: { code: 4403, retry: 'never' },
  /** A critical frame of a type that this end does not know. */
  unsupported: { code: 4406, retry: 'slowly' },
  'timed-out': { code: 4408, retry: 'soon' },
  /** A newer connection of the same agent took its place. */
  superseded: { code: 4409, retry: 'soon' },
  /** The journal is an old copy of one that went further. */
  'old-copy': { code: 4410, retry: 'soon' },
  /** More than the window or the credit allowed, or a frame too large. */
  'too-much': { code: 4413, retry: 'slowly' },
  /** Two agents with the same identity keep pushing each other out. */
  cloned: { code: 4423, retry: 'never' },
  /** No common version; the reason names the supported range. */
  version: { code: 4426, retry: 'slowly' },
  /** The database or the relay cannot serve now. */
  unavailable: { code: 4503, retry: 'soon' },
} as const satisfies Record<string, CloseCode>

export type CloseName = keyof typeof closeCodes

/** Codes of others (1001, 1006, a proxy's own) say nothing about the agent: it tries again soon. */
export function closeNameOf(code: number): CloseName | undefined {
  return (Object.keys(closeCodes) as CloseName[]).find((name) => closeCodes[name].code === code)
}
