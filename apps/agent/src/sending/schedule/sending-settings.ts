import type { Pace } from './pace.ts'
import type { ProcessingOrder } from './queue.ts'
import type { SimSelection } from './sim-choice.ts'

/** The account's settings for sending. */
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
  /** How long a message in doubt waits for evidence before it ends. */
  readonly doubtWindowMs: number
  /** How long later messages from the same SIM to the same number wait for a message in doubt. */
  readonly destinationHoldMs: number
  /** How long a message without a deadline is retried. */
  readonly lifeMs: number
  /** The longest pause between two checks of deadlines and limits, because the clock may be set without notice. */
  readonly longestSleepMs: number
}

export const defaultSendingLimits: SendingLimits = {
  doubtWindowMs: 15 * 60_000,
  destinationHoldMs: 2 * 60_000,
  lifeMs: 72 * 60 * 60_000,
  longestSleepMs: 60_000,
}
