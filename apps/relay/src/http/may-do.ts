import type { Scope } from '@smsgw/contract/access/scopes'
import type { Principal } from './endpoint.ts'
import { ApiError } from './errors/api-error.ts'

export function mayDo({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('all:any')
}

/** The error for a caller without a scope. Any one of the scopes is sufficient. */
export function scopeRequired(...scopes: readonly string[]): ApiError {
  const scope = scopes.join(' or ')
  return new ApiError(403, `scope required: ${scope}`, { reason: 'scope_required', values: { scope } })
}
