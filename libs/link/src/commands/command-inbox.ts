import { commandKey } from '@smsgw/contract/link/command'
import type { ReceivedCommand } from './received-command.ts'

/**
 * The agent's side of the commands: what is being written to the journal, and how much more the relay may give. Credit
 * follows the room of the whole agent, so that the relay keeps what cannot be sent soon: there it can still be cancelled,
 * overtaken, or given to nobody.
 */
export interface CommandInbox {
  /** Sends taken on this connection, journaled or not. */
  readonly received: number
  /** As the relay was last told. */
  readonly credit: Credit | undefined
  /** The last announcement of credit was a while ago. */
  readonly mayAnnounce: boolean
}

/** Sends that the relay may give, counted from the beginning of the connection. */
export interface Credit {
  readonly limit: number
  readonly urgentLimit: number
}

/** What the agent holds and can hold. */
export interface SendQueue {
  /** Sends in its journal that have not ended. */
  readonly open: number
  /** Handed to the journal, on this connection or an earlier one, and not on disk yet. */
  readonly journaling: readonly string[]
  readonly capacity: number
  /** Room beyond `capacity` that only urgent sends may use. */
  readonly urgent: number
}

export const emptyInbox: CommandInbox = { received: 0, credit: undefined, mayAnnounce: true }

/** No relay that keeps to its credit comes near these: whoever does would fill the memory, or the disk. */
const mostJournaling = 512
const mostOpen = 4

export function acceptCommand(
  inbox: CommandInbox,
  queue: SendQueue,
  taken: ReceivedCommand,
): { inbox: CommandInbox; queue: SendQueue } | 'too-much' {
  if (queue.journaling.length >= mostJournaling) return 'too-much'
  const key = keyOf(taken)
  // What an earlier connection brought may come again, and is open already.
  const open = queue.open + queue.journaling.filter(isSend).length
  if (isSend(key) && open >= mostOpen * (queue.capacity + queue.urgent)) return 'too-much'
  return {
    inbox: isSend(key) ? { ...inbox, received: inbox.received + 1 } : inbox,
    queue: queue.journaling.includes(key) ? queue : { ...queue, journaling: [...queue.journaling, key] },
  }
}

/** On disk, or told to be impossible. */
export function commandsOnDisk(queue: SendQueue, keys: readonly string[], open: number): SendQueue {
  return { ...queue, open, journaling: queue.journaling.filter((key) => !keys.includes(key)) }
}

/**
 * The credit to announce now, if any. Not each time that a message ends, since each announcement is a claim in the relay's
 * database and lets the relay send that many commands more: when the room grew by a quarter, or when the relay has used up
 * what it had, and then not too often.
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
