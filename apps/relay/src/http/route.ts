import type { Scope } from '@smsgw/contract/access/scopes'
import type { Endpoint } from './endpoint.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The credentials that a route needs: one of several scopes, any valid credentials (`any scope`), a password or session
 * (`no token`), nothing (`public`), a refresh token as bearer token, or the token of a phone (`phone`).
 */
export type RequiredAccess = Scope | readonly Scope[] | 'any scope' | 'no token' | 'public' | 'refresh token' | 'phone'

export interface Route {
  readonly method: Method
  /** `{name}` is a parameter. */
  readonly path: string
  readonly access: RequiredAccess
  readonly summary: string
  readonly endpoint: Endpoint
  /**
   * `api`: below both prefixes of the API. `root`: at the root of the server. `both`: below the prefixes and at the
   * root. `mobile`: below both prefixes of the API for phones, which another product defines and which has its own
   * OpenAPI document.
   */
  readonly place: 'api' | 'root' | 'both' | 'mobile'
}

const routeAt =
  (place: Route['place']) =>
  (method: Method, path: string, access: RequiredAccess, summary: string, endpoint: Endpoint): Route => ({
    method,
    path,
    access,
    summary,
    endpoint,
    place,
  })

/** One row of the route table. */
export const route = routeAt('api')
export const rootRoute = routeAt('root')
export const everywhereRoute = routeAt('both')
export const mobileRoute = routeAt('mobile')

/** Returns the accepted scopes. A caller needs only one of them. */
export function scopesOf(access: Scope | readonly Scope[]): readonly Scope[] {
  return typeof access === 'string' ? [access] : access
}
