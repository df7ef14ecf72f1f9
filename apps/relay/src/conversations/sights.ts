import type { Principal } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'

/** Which half of a conversation a caller may see. */
export interface Sights {
  readonly accountId: string
  readonly sent: boolean
  readonly received: boolean
}

export const CONVERSATION_SCOPES = ['messages:list', 'inbox:list'] as const

export function sightsOf(principal: Principal): Sights {
  const { accountId } = principal
  return { accountId, sent: mayDo(principal, 'messages:list'), received: mayDo(principal, 'inbox:list') }
}
