import { commandKey } from '@smsgw/contract/link/command'
import type { ReceivedCommand } from './received-command.ts'

/**
 * The state of commands at the agent: the commands that are being written to the journal, and the credit for more
 * commands. Credit depends on the capacity of the whole agent. So messages stay at the relay if the agent cannot send
 * them soon. There, a user can still cancel them, more urgent messages can overtake them, and another device can send
 * them.
 */
export interface CommandInbox {
  /** The number of `send` commands that were received on this connection, whether or not they are in the journal. */
  readonly received: number
  /** The last announced credit. */
  readonly credit: Credit | undefined
  /** True if a new credit may be announced, because the last announcement is old enough. */
  readonly mayAnnounce: boolean
}

/** The number of `send` commands that the relay may send, counted from the start of the connection. */
export interface Credit {
  readonly limit: number
  readonly urgentLimit: number
}

/** The number of sends that the agent has, and its capacity. */
export interface SendQueue {
  /** The number of unfinished sends in the journal. */
  readonly open: number
  /** The keys of commands, of this connection or an earlier one, that are not yet on disk. */
  readonly journaling: readonly string[]
  readonly capacity: number
  /** Additional capacity, which only urgent sends may use. */
  readonly urgent: number
}

export const emptyInbox: CommandInbox = { received: 0, credit: undefined, mayAnnounce: true }

/**
 * The largest number of commands, which is far more than a working relay sends. Without a limit, a faulty relay would
 * fill the memory or the disk.
 */
const mostJournaling = 512
const mostOpen = 4

export function acceptCommand(
  inbox: CommandInbox,
  queue: SendQueue,
  taken: ReceivedCommand,
): { inbox: CommandInbox; queue: SendQueue } | 'too-much' {
  if (queue.journaling.length >= mostJournaling) return 'too-much'
  const key = keyOf(taken)
  // A command of an earlier connection may arrive again, but it is already counted.
  const open = queue.open + queue.journaling.filter(isSend).length
  if (isSend(key) && open >= mostOpen * (queue.capacity + queue.urgent)) return 'too-much'
  return {
    inbox: isSend(key) ? { ...inbox, received: inbox.received + 1 } : inbox,
    queue: queue.journaling.includes(key) ? queue : { ...queue, journaling: [...queue.journaling, key] },
  }
}

/** Must be called when these commands are on disk. */
export function commandsOnDisk(queue: SendQueue, keys: readonly string[], open: number): SendQueue {
  return { ...queue, open, journaling: queue.journaling.filter((key) => !keys.includes(key)) }
}

/**
 * Returns the credit to announce now, if any. Each announcement causes a claim in the relay's database, so credit is
 * not announced after each message. It is announced when the free capacity has grown by a quarter or when the relay has
 * used up its credit, at most once per pause.
 */
export function nextCredit(inbox: CommandInbox, queue: SendQueue): Credit | undefined {
  const { received, credit, mayAnnounce } = inbox
  const room = queue.capacity - queue.open - queue.journaling.filter(isSend).length
  const next = {
    limit: received + Math.max(0, room),
    urgentLimit: received + Math.max(0, room + queue.urgent),
  }
  if (credit === undefined) return next
  if (!mayAnnounce) return undefined
  const limits = [
    [next.limit, credit.limit],
    [next.urgentLimit, credit.urgentLimit],
  ] as const
  const isWorthwhile = limits.some(
    ([one, announced]) => one - announced >= queue.capacity / 4 || (one > announced && received >= announced),
  )
  return isWorthwhile ? next : undefined
}

function keyOf(taken: ReceivedCommand): string {
  return 'command' in taken ? commandKey(taken.command) : taken.key
}

function isSend(key: string): boolean {
  return key.startsWith('send:')
}
