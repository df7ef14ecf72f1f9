import type { Scope } from '@smsgw/contract/scopes'
import type { Endpoint } from './endpoint.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What a caller needs: one of several scopes, any valid credentials (`any scope`), a password or session instead of a token
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
  /** `api`: below both prefixes of the API. `root`: at the root of the server. `both`: at all of them. */
  readonly place: 'api' | 'root' | 'both'
}

/** One line of the route table. */
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

/** Scopes of which one is enough. */
export function scopesOf(access: Scope | readonly Scope[]): readonly Scope[] {
  return typeof access === 'string' ? [access] : access
}
