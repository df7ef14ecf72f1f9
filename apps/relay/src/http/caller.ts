import type { Principal } from './endpoint.ts'

/** What a request claims about its caller before authentication. */
export interface Caller {
  /** The header as received. */
  readonly authorization: string | undefined
  /** Address of the caller, also behind trusted proxies. */
  readonly address: string
  /** TLS, to this server or reported by a trusted proxy. */
  readonly isSecure: boolean
  /** Session token of the cookie. */
  readonly session?: string | undefined
  /** Set when a page of another site may have sent the request, see `foreignPageOf`. Sessions and passwords are then refused. */
  readonly foreignPage?: 'no origin' | 'other origin' | undefined
}

/** Throws an `ApiError`: 401, 429, or 403 over an insecure connection. */
export type Authenticate = (caller: Caller) => Promise<Principal>
