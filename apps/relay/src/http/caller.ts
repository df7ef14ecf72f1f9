import type { Principal } from './endpoint.ts'

/** What is known of who calls before anybody believes it. */
export interface Caller {
  /** The header as it came. */
  readonly authorization: string | undefined
  /** The caller's own, behind trusted proxies too. */
  readonly address: string
  /** TLS, our own or told by a trusted proxy. */
  readonly isSecure: boolean
  /** Of a browser that has signed in: what its cookie holds. */
  readonly session?: string | undefined
  /** Why a session does not count here: the request changes something, and is not known to be from our own page. */
  readonly foreignPage?: 'no origin' | 'other origin' | undefined
}

/** Throws an `ApiError`: 401, 403 over an insecure connection, 429. */
export type Authenticate = (caller: Caller) => Promise<Principal>
