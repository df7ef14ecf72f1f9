import type { Principal } from './endpoint.ts'

/** The claims of a request about its caller, before authentication. */
export interface Caller {
  /** The header `Authorization` as received. */
  readonly authorization: string | undefined
  /** The header `X-API-Key` as received. */
  readonly apiKey?: string | undefined
  /** The address of the caller, even if trusted proxies forwarded the request. */
  readonly address: string
  /** True if the caller uses TLS to this server or to a trusted proxy. */
  readonly isSecure: boolean
  /** Session token in the cookie. */
  readonly session?: string | undefined
  /**
   * Set when a page on another site may have sent the request (see `foreignPageOf`). Sessions and passwords are then
   * refused.
   */
  readonly foreignPage?: 'no origin' | 'other origin' | undefined
}

/** Throws an `ApiError` with status 401 or 429, or with 403 if the connection is insecure. */
export type Authenticate = (caller: Caller) => Promise<Principal>
