import type { Principal } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'

/** The directions of a conversation that a caller may read. */
export interface Visibility {
  readonly accountId: string
  readonly sent: boolean
  readonly received: boolean
}

export const CONVERSATION_SCOPES = ['messages:list', 'inbox:list'] as const

export function visibilityOf(principal: Principal): Visibility {
  const { accountId } = principal
  return { accountId, sent: mayDo(principal, 'messages:list'), received: mayDo(principal, 'inbox:list') }
}
