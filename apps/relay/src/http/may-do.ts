import type { Scope } from '@smsgw/contract/access/scopes'
import type { Principal } from './endpoint.ts'

export function mayDo({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('all:any')
}
