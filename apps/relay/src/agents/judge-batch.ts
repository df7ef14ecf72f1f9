import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentConnection } from './agent-connection.ts'
import type { EventBatch, RecordResult } from './event-batch.ts'

export interface JudgedBatch {
  readonly batch: EventBatch
  readonly result: RecordResult
  /** The mark moves. */
  readonly isNew: boolean
  /** What is to be stored. */
  readonly told: readonly Told[]
  /** What is not stored yet and cannot be read. */
  readonly unread: readonly { readonly seq: number; readonly problem: string }[]
  /** So many events no longer exist, though they were never stored. */
  readonly lost: number
}

export interface Told<E extends AgentEvent = AgentEvent> {
  readonly connection: AgentConnection
  readonly seq: number
  readonly event: E
}

/** Compares a batch with the mark of its journal; undefined: the connection is fenced. */
export function judgeBatch(batch: EventBatch, mark: number | undefined): JudgedBatch {
  const { connection, from, skipped, events } = batch
  const nothing = { batch, isNew: false, told: [], unread: [], lost: 0 }
  if (mark === undefined) return { ...nothing, result: { kind: 'fenced' } }
  if (from - skipped > mark + 1) return { ...nothing, result: { kind: 'gap', mark } }
  const last = from + events.length - 1
  if (last <= mark) return { ...nothing, result: { kind: 'stored', mark } }
  const fresh = events.map((one, index) => ({ ...one, seq: from + index })).filter(({ seq }) => seq > mark)
  return {
    batch,
    result: { kind: 'stored', mark: last },
    isNew: true,
    told: fresh.flatMap((one) => ('event' in one ? [{ connection, seq: one.seq, event: one.event }] : [])),
    unread: fresh.flatMap((one) => ('problem' in one ? [one] : [])),
    lost: Math.max(0, from - 1 - mark),
  }
}
