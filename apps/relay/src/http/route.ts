import type { Scope } from '@smsgw/contract/scopes'
import type { Endpoint } from './endpoint.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What a caller needs: one of some scopes, to be known at all (`any scope`), to be the account itself and no token of it
 * (`no token`), nothing (`public`), or a refresh token as bearer.
 */
export type Access = Scope | readonly Scope[] | 'any scope' | 'no token' | 'public' | 'refresh token'

export interface Route {
  readonly method: Method
  /** `{name}` is a parameter. */
  readonly path: string
  readonly access: Access
  readonly summary: string
  readonly endpoint: Endpoint
  /** Of the API, below both of its prefixes, or at the root of the server. */
  readonly place: 'api' | 'root' | 'both'
}

/** One line of the table. */
export function route(method: Method, path: string, access: Access, summary: string, endpoint: Endpoint): Route {
  return { method, path, access, summary, endpoint, place: 'api' }
}

export function rootRoute(method: Method, path: string, access: Access, summary: string, endpoint: Endpoint): Route {
  return { method, path, access, summary, endpoint, place: 'root' }
}

export function everywhereRoute(
  method: Method,
  path: string,
  access: Access,
  summary: string,
  endpoint: Endpoint,
): Route {
  return { method, path, access, summary, endpoint, place: 'both' }
}

/** Any of which opens it. */
export function scopesOf(access: Scope | readonly Scope[]): readonly Scope[] {
  return typeof access === 'string' ? [access] : access
}
