import { commandKey } from '@smsgw/contract/link/command'
import type { RelayFrame } from '@smsgw/contract/link/frame'
import type { CommandInbox } from '../commands/command-inbox.ts'
import { receiveCommand } from '../commands/received-command.ts'
import type { Heartbeat } from '../connection/heartbeat.ts'

/**
 * Limits the work that a relay can cause. Each frame has a price, so that a relay cannot repeat any kind of frame
 * without a limit. Frames that the agent itself causes are free: sends within its credit, acknowledgements of its
 * events, and answers to pings.
 */
export interface FrameBudget {
  readonly spent: number
}

export const fullBudget: FrameBudget = { spent: 0 }

/**
 * The total price of frames that may arrive at once. A working relay needs far less, even if a user cancels hundreds of
 * messages.
 */
const maxSpent = 1_000
const refillPerSecond = 10
/**
 * A replay is expensive, because the agent sends its events again. A relay needs it only once, after its database was
 * restored.
 */
const replayPrice = 100

/** The state of the agent that decides which frames of the relay are free. */
export interface Caused {
  /** The last acknowledged event. */
  readonly mark: number
  readonly heartbeat?: Heartbeat
  readonly inbox?: CommandInbox
}

/**
 * Returns the new budget, or undefined if the relay has sent too much. `frame` is undefined for a frame of an
 * unknown type.
 */
export function pay(budget: FrameBudget, frame: RelayFrame | undefined, caused: Caused): FrameBudget | undefined {
  const spent = budget.spent + priceOf(frame, caused)
  return spent > maxSpent ? undefined : { spent }
}

export function refill({ spent }: FrameBudget, seconds: number): FrameBudget {
  return { spent: Math.max(0, spent - refillPerSecond * seconds) }
}

function priceOf(frame: RelayFrame | undefined, { mark, heartbeat, inbox }: Caused): number {
  switch (frame?.type) {
    case 'stored':
      return frame.upto > mark ? 0 : 1
    case 'pong':
      return heartbeat?.unanswered !== undefined && frame.number === heartbeat.number ? 0 : 1
    case 'command':
      return inbox !== undefined && isWithinCredit(inbox, frame.command) ? 0 : 1
    case 'replay':
      return replayPrice
    default:
      return 1
  }
}

function isWithinCredit({ received, credit }: CommandInbox, value: unknown): boolean {
  const command = receiveCommand(value)
  if (command === undefined) return false
  const key = 'command' in command ? commandKey(command.command) : command.key
  return key.startsWith('send:') && received < (credit?.urgentLimit ?? 0)
}
