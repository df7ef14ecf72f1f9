import type { Pace } from './pace.ts'
import type { ProcessingOrder } from './queue.ts'
import type { SimSelection } from './sim-choice.ts'

/** What of the account's settings concerns sending. */
export interface SendingSettings {
  readonly pace: Pace
  readonly simSelection: SimSelection
  readonly order: ProcessingOrder
}

export const defaultSendingSettings: SendingSettings = {
  pace: { intervalMinMs: 0, intervalMaxMs: 0, limit: undefined, workHours: undefined },
  simSelection: 'OSDefault',
  order: 'FIFO',
}

export interface SendingLimits {
  /** How long evidence is waited for, before a message in doubt ends. */
  readonly doubtWindowMs: number
  /** How long later messages from that SIM to that number wait, so that evidence stays unambiguous. */
  readonly destinationHoldMs: number
  /** How long a message without a deadline is tried. */
  readonly lifeMs: number
}

export const defaultSendingLimits: SendingLimits = {
  doubtWindowMs: 15 * 60_000,
  destinationHoldMs: 2 * 60_000,
  lifeMs: 72 * 60 * 60_000,
}
