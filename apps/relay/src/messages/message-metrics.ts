import { Counter, Gauge, type Registry } from 'prom-client'
import { unlessUnavailable } from '../metrics/unless-unavailable.ts'
import type { Database } from '../store/database.ts'
import { countUnableToSend, FAULTS } from '../waiting/unable-to-send-statement.ts'
import { countInDoubt } from './count-in-doubt-statement.ts'
import type { Move } from './progress/message-progress.ts'

export interface MessageMetrics {
  /** Called once for each message whose request is answered with 202. */
  readonly onAccepted: () => void
  /** Called after the commit of a state change. */
  readonly onMoved: (moves: readonly Move[]) => void
}

export function messageMetrics(registry: Registry, database: Database): MessageMetrics {
  const accepted = new Counter({
    name: 'smsgw_messages_accepted_total',
    help: 'Messages that this relay accepted',
    registers: [registry],
  })
  const moves = new Counter({
    name: 'smsgw_message_state_transitions_total',
    help: 'Changes of the state of recipients; each relay counts the changes that it stored',
    labelNames: ['from', 'to'],
    registers: [registry],
  })
  // Without these zeros, Prometheus would not see the first failures after a start as an increase.
  for (const from of ['Pending', 'Cancelling', 'Processed', 'Sent'] as const) moves.inc({ from, to: 'Failed' }, 0)
  for (const to of ['Processed', 'Sent'] as const) moves.inc({ from: 'Pending', to }, 0)
  new Gauge({
    name: 'smsgw_messages_in_doubt',
    help: 'Recipients whose outcome is unknown, across all relays',
    registers: [registry],
    async collect() {
      this.set(await unlessUnavailable(() => countInDoubt(database), Number.NaN))
    },
  })
  new Gauge({
    name: 'smsgw_devices_unable_to_send',
    help: 'Connected devices on which messages wait because none of their SIMs can send, by reason, across all relays',
    labelNames: ['reason'],
    registers: [registry],
    async collect() {
      const counts = await unlessUnavailable(() => countUnableToSend(database), undefined)
      for (const reason of FAULTS) this.set({ reason }, counts === undefined ? Number.NaN : (counts.get(reason) ?? 0))
    },
  })
  return {
    onAccepted: () => accepted.inc(),
    onMoved(all) {
      for (const { from, to } of all) moves.inc({ from, to })
    },
  }
}
