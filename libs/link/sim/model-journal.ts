import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { ReceivedCommand } from '../src/commands/received-command.ts'
import type { JournaledEvent } from '../src/events/event-outbox.ts'

/** The disk of an agent. A copy of the disk represents a copied SD card. */
export interface ModelDisk {
  journalId: string
  replaces: string | undefined
  streamId: string | undefined
  mark: number
  /** The first event that retention has not removed. */
  first: number
  /** The events, starting with event 1. */
  readonly events: JournaledEvent[]
  readonly commands: Map<string, ModelCommand>
}

/** `received` → `committed` → `ended`. A cancel for an unknown command leaves a `tombstone`. */
export interface ModelCommand {
  state: 'received' | 'committed' | 'ended' | 'tombstone'
  readonly command: SendCommand | undefined
  /** How the command ended. */
  result?: Result
}

export function newDisk(journalId: string): ModelDisk {
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

export function copyOfDisk(disk: ModelDisk): ModelDisk {
  return {
    ...disk,
    events: [...disk.events],
    commands: new Map([...disk.commands].map(([id, record]) => [id, { ...record }])),
  }
}

export function openSends(disk: ModelDisk): number {
  return [...disk.commands.values()].filter(({ state }) => state === 'received' || state === 'committed').length
}

/** Writes a command. A repeated command changes nothing. Returns the result to report. */
export function journalCommand(disk: ModelDisk, taken: ReceivedCommand): Result | undefined {
  if (!('command' in taken)) return endUnseen(disk, taken.cmdId, { kind: 'failed', code: 'unsupported' })
  const { command } = taken
  const { cmdId } = command
  const known = disk.commands.get(cmdId)
  switch (command.kind) {
    case 'send':
      // A relay repeats a command that has ended only if the relay has lost the result.
      if (known !== undefined) return known.result
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

/** Returns the commands whose result is unknown, because of a crash or an old copy. */
export function putInDoubt(
  disk: ModelDisk,
  states: readonly ModelCommand['state'][],
): { cmdId: string; result: Result }[] {
  const open = [...disk.commands].filter(([, { state }]) => states.includes(state))
  return open.map(([cmdId, record]) => ({
    cmdId,
    result: endSend(record, { kind: 'failed', code: 'submit_unknown' }),
  }))
}

export function endSend(record: ModelCommand, result: Result): Result {
  Object.assign(record, { state: 'ended', result })
  return result
}

/** The result of a command. An event reports it to the relay. */
export type Result =
  | { readonly kind: 'processed' | 'cancelled' | 'cancel-refused' | 'sent' }
  | { readonly kind: 'failed'; readonly code: string }

export function eventOf(result: Result, cmdId: string, at: string): AgentEvent {
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent', cmdId, at, simNumber: 1, parts: 1 }
    case 'failed':
      return { kind: 'failed', cmdId, at, code: result.code, reason: result.code }
    default:
      return { kind: result.kind, cmdId, at }
  }
}

function endUnseen(disk: ModelDisk, cmdId: string, result: Result): Result | undefined {
  if (disk.commands.has(cmdId)) return undefined
  disk.commands.set(cmdId, { state: 'ended', command: undefined })
  return result
}
