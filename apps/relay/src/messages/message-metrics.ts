import { Counter, Gauge, type Registry } from 'prom-client'
import { unlessAway } from '../metrics/unless-away.ts'
import type { Database } from '../store/database.ts'
import { countInDoubt } from './in-doubt-statement.ts'
import type { Move } from './message-progress.ts'

export interface MessageMetrics {
  /** A message was answered with 202 for the first time. */
  readonly onAccepted: () => void
  /** After the commit. */
  readonly onMoved: (moves: readonly Move[]) => void
}

export function messageMetrics(registry: Registry, database: Database): MessageMetrics {
  const accepted = new Counter({
    name: 'smsgw_messages_accepted_total',
    help: 'Messages that this relay took on',
    registers: [registry],
  })
  const moves = new Counter({
    name: 'smsgw_message_state_transitions_total',
    help: 'Recipients of messages that came from one state to another, counted by the relay that wrote it down',
    labelNames: ['from', 'to'],
    registers: [registry],
  })
  new Gauge({
    name: 'smsgw_messages_in_doubt',
    help: 'Recipients of whose message nobody knows yet whether it was sent; over all relays',
    registers: [registry],
    async collect() {
      this.set(await unlessAway(() => countInDoubt(database)))
    },
  })
  return {
    onAccepted: () => accepted.inc(),
    onMoved(all) {
      for (const { from, to } of all) moves.inc({ from, to })
    },
  }
}
