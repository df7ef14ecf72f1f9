import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { ReceivedCommand } from '../src/commands/received-command.ts'
import type { JournaledEvent } from '../src/events/event-outbox.ts'

/** What an agent has on disk. A copy of it is a card that was cloned. */
export interface Disk {
  journalId: string
  replaces: string | undefined
  streamId: string | undefined
  mark: number
  /** Retention took what came before. */
  first: number
  /** Event 1 is the first. */
  readonly events: JournaledEvent[]
  readonly commands: Map<string, CommandRecord>
}

/** `received` → `committed` → `ended`; a cancel for what was never seen leaves a `tombstone`. */
export interface CommandRecord {
  state: 'received' | 'committed' | 'ended' | 'tombstone'
  readonly command: SendCommand | undefined
  /** How it ended. */
  telling?: Telling
}

export function newDisk(journalId: string): Disk {
  return {
    journalId,
    replaces: undefined,
    streamId: undefined,
    mark: 0,
    first: 1,
    events: [],
    commands: new Map(),
  }
}

export function copyOf(disk: Disk): Disk {
  return {
    ...disk,
    events: [...disk.events],
    commands: new Map([...disk.commands].map(([id, record]) => [id, { ...record }])),
  }
}

export function openSends(disk: Disk): number {
  return [...disk.commands.values()].filter(({ state }) => state === 'received' || state === 'committed').length
}

/** What the journal does with a command: the same however often it comes. Gives what is to be told about it. */
export function journalCommand(disk: Disk, taken: ReceivedCommand): Telling | undefined {
  if (!('command' in taken)) return endUnseen(disk, taken.cmdId, { kind: 'failed', code: 'unsupported' })
  const { command } = taken
  const { cmdId } = command
  const known = disk.commands.get(cmdId)
  switch (command.kind) {
    case 'send':
      // It is asked again after it ended only by a relay that has lost what it was told.
      if (known !== undefined) return known.telling
      disk.commands.set(cmdId, { state: 'received', command })
      return { kind: 'processed' }
    case 'cancel': {
      if (known === undefined) disk.commands.set(cmdId, { state: 'tombstone', command: undefined })
      if (known === undefined || known.state === 'tombstone') return { kind: 'cancelled' }
      if (known.state !== 'received') return { kind: 'cancel-refused' }
      return endSend(known, { kind: 'cancelled' })
    }
    default:
      return undefined
  }
}

/** After a crash, or when the journal was found to be an old copy: nobody knows any more what became of these. */
export function giveUp(disk: Disk, states: readonly CommandRecord['state'][]): { cmdId: string; telling: Telling }[] {
  const open = [...disk.commands].filter(([, { state }]) => states.includes(state))
  return open.map(([cmdId, record]) => ({
    cmdId,
    telling: endSend(record, { kind: 'failed', code: 'submit_unknown' }),
  }))
}

export function endSend(record: CommandRecord, telling: Telling): Telling {
  Object.assign(record, { state: 'ended', telling })
  return telling
}

/** The part of an event that says what happened. */
export type Telling =
  | { readonly kind: 'processed' | 'cancelled' | 'cancel-refused' | 'sent' }
  | { readonly kind: 'failed'; readonly code: string }

export function eventOf(telling: Telling, cmdId: string, at: string): AgentEvent {
  switch (telling.kind) {
    case 'sent':
      return { kind: 'sent', cmdId, at, simNumber: 1, parts: 1 }
    case 'failed':
      return { kind: 'failed', cmdId, at, code: telling.code, reason: telling.code }
    default:
      return { kind: telling.kind, cmdId, at }
  }
}

function endUnseen(disk: Disk, cmdId: string, telling: Telling): Telling | undefined {
  if (disk.commands.has(cmdId)) return undefined
  disk.commands.set(cmdId, { state: 'ended', command: undefined })
  return telling
}
