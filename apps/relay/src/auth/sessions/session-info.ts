import type { SessionInfo } from '@smsgw/contract/session'
import type { Principal } from '../../http/endpoint.ts'

/** Facts about this relay that the console shows. */
export interface SessionFacts {
  readonly isLocal: boolean
  readonly version: string
  readonly hasVirtualPhone: boolean
}

export function sessionInfoOf(
  { isLocal, version, hasVirtualPhone }: SessionFacts,
  { username, scopes }: Pick<Principal, 'username' | 'scopes'>,
): SessionInfo {
  return { username, mode: isLocal ? 'local' : 'cloud', version, scopes: [...scopes], hasVirtualPhone }
}
