import type { Principal } from './endpoint.ts'

/** What a request claims about its caller before authentication. */
export interface Caller {
  /** The header as received. */
  readonly authorization: string | undefined
  /** The header `X-API-Key` as received. */
  readonly apiKey?: string | undefined
  /** Address of the caller, even if trusted proxies forward the request. */
  readonly address: string
  /** Whether the caller uses TLS, either to this server or, as a trusted proxy reports, to that proxy. */
  readonly isSecure: boolean
  /** Session token in the cookie. */
  readonly session?: string | undefined
  /** Set when a page on another site may have sent the request (see `foreignPageOf`). Sessions and passwords are then refused. */
  readonly foreignPage?: 'no origin' | 'other origin' | undefined
}

/** Throws an `ApiError` with status 401, 429, or, over an insecure connection, 403. */
export type Authenticate = (caller: Caller) => Promise<Principal>
