import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentConnection } from './agent-connection.ts'

/** Events of a journal in order, without gaps, as the link hands them on. */
export interface EventBatch {
  readonly connection: AgentConnection
  /** The number of the first one. */
  readonly from: number
  /** So many before `from` no longer exist: the mark passes them. */
  readonly skipped: number
  /** Of the last one: tells later whether a journal has the same one there. */
  readonly tag: string | undefined
  readonly events: readonly ToldEvent[]
}

/** An event, or why it cannot be read. */
export type ToldEvent = { readonly event: AgentEvent } | { readonly problem: string }

export type RecordResult =
  /** On disk up to here, these events or earlier ones: may be acknowledged. */
  | { readonly kind: 'stored'; readonly mark: number }
  /** No longer the connection that counts: nothing was stored, and nothing may be acknowledged. */
  | { readonly kind: 'fenced' }
  /** Events between the mark and these are missing: they have to be sent again from there. */
  | { readonly kind: 'gap'; readonly mark: number }
