import type { Command, SendCommand } from '@smsgw/contract/link/command'
import { urgentPriority } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Hello } from '@smsgw/contract/link/frame'
import type { ClaimRoom } from '../src/commands/command-outbox.ts'
import type { ReceivedBatch } from '../src/events/event-inbox.ts'
import type { OpenedConnection } from '../src/relay/state.ts'

/** The database of one device, shared by all relays. Each method is one transaction. */
export class ModelStore {
  streamId: string
  connEpoch = 0
  bootId: string | undefined
  journalId: string | undefined
  readonly journals = new Map<string, StoredJournal>()
  readonly sends = new Map<string, StoredSend>()
  /** Ids of received messages, once for each time that the message was stored. */
  readonly received: string[] = []

  constructor(streamId: string) {
    this.streamId = streamId
  }

  /** Restores the state of the backup. */
  restore(backup: ModelStore, streamId: string): void {
    Object.assign(this, { connEpoch: backup.connEpoch, bootId: backup.bootId, journalId: backup.journalId, streamId })
    this.journals.clear()
    for (const [id, journal] of backup.journals) this.journals.set(id, { ...journal, ids: [...journal.ids] })
    this.received.splice(0, this.received.length, ...backup.received)
    this.sends.clear()
    for (const [id, send] of backup.sends) this.sends.set(id, { ...send })
  }

  accept(command: SendCommand): void {
    this.sends.set(command.cmdId, { command, ...untouched })
  }

  cancel(cmdId: string): void {
    const send = this.sends.get(cmdId)
    if (send === undefined || send.outcome !== undefined) return
    if (send.dispatchedJournal === undefined) send.outcome = 'cancelled'
    else send.cancel = send.cancel ?? 'asked'
  }

  openConnection({ bootId, journal }: Hello): OpenedConnection {
    const known = this.journals.get(journal.id)
    const previousBootId = this.bootId
    if (known === undefined) this.#beginJournal(journal.id)
    this.connEpoch += 1
    this.bootId = bootId
    return {
      connEpoch: this.connEpoch,
      streamId: this.streamId,
      mark: known?.ids.length ?? 0,
      markTag: known?.tag,
      previousBootId,
      isRetired: this.journalId !== journal.id,
      serverTime: '2026-01-01T00:00:00Z',
      settings: {},
    }
  }

  storeEvents(connEpoch: number, journalId: string, batch: ReceivedBatch): StoreAnswer {
    const journal = this.journals.get(journalId)
    if (this.#isFenced(connEpoch, journalId) || journal === undefined) return { kind: 'fenced' }
    const mark = journal.ids.length
    if (batch.from - batch.skipped > mark + 1) return { kind: 'mark-behind', mark }
    const last = batch.from + batch.events.length - 1
    if (last <= mark) return { kind: 'events-stored', mark }
    while (journal.ids.length < batch.from - 1) journal.ids.push(skipped)
    for (const [index, received] of batch.events.entries()) {
      if (batch.from + index <= mark) continue
      journal.ids.push('event' in received ? instantOf(received.event) : unreadable)
      if ('event' in received) this.#apply(received.event)
    }
    journal.tag = batch.tag
    return { kind: 'events-stored', mark: last }
  }

  claim(connEpoch: number, journalId: string, isResume: boolean, room: ClaimRoom): ClaimAnswer {
    if (this.#isFenced(connEpoch, journalId)) return { kind: 'fenced' }
    if (!isResume) return { kind: 'commands-claimed', commands: this.#fresh(journalId, room) }
    const commands = this.#resumed(journalId)
    return { kind: 'commands-claimed', commands, areAll: commands.length === 0 && !this.#hasFresh(journalId) }
  }

  /** Returns true if a newer connection of the device exists, so that this connection may not commit. */
  isFenced(connEpoch: number): boolean {
    return connEpoch !== this.connEpoch
  }

  #resumed(journalId: string): Command[] {
    const mine = [...this.sends.values()].filter((send) => send.dispatchedJournal === journalId)
    return [
      ...mine.filter(({ cancel }) => cancel === 'sent').map(cancelOf),
      ...mine.filter((send) => !send.isProcessed && send.outcome === undefined).map(({ command }) => command),
    ]
  }

  #hasFresh(journalId: string): boolean {
    return [...this.sends.values()].some(
      ({ cancel, dispatchedJournal, outcome }) =>
        (cancel === 'asked' && dispatchedJournal === journalId) ||
        (dispatchedJournal === undefined && outcome === undefined),
    )
  }

  #fresh(journalId: string, room: ClaimRoom): Command[] {
    const all = [...this.sends.values()]
    const cancels = all
      .filter((send) => send.cancel === 'asked' && send.dispatchedJournal === journalId)
      .slice(0, room.others)
    for (const send of cancels) send.cancel = 'sent'
    const due = all
      .filter((send) => send.dispatchedJournal === undefined && send.outcome === undefined)
      .sort((one, other) => other.command.priority - one.command.priority)
    const urgent = due.filter(({ command }) => command.priority >= urgentPriority).slice(0, room.urgentSends)
    const normal = due.filter(({ command }) => command.priority < urgentPriority)
    const sends = [...urgent, ...normal.slice(0, Math.max(0, room.sends - urgent.length))]
    for (const send of sends) send.dispatchedJournal = journalId
    return [...cancels.map(cancelOf), ...sends.map(({ command }) => command)]
  }

  #beginJournal(journalId: string): void {
    this.journals.set(journalId, { ids: [], tag: undefined })
    this.journalId = journalId
    for (const send of this.sends.values()) {
      if (send.dispatchedJournal !== undefined && send.outcome === undefined) send.outcome = 'unknown'
    }
  }

  #apply(event: AgentEvent): void {
    if (event.kind === 'received') this.received.push(event.id)
    if (!('cmdId' in event)) return
    const send = this.sends.get(event.cmdId)
    if (send === undefined) return
    if (event.kind === 'processed') send.isProcessed = true
    if (event.kind === 'cancel-refused' || event.kind === 'cancelled') send.cancel = 'answered'
    const outcome = outcomeOf(event)
    if (outcome !== undefined && (send.outcome === undefined || send.outcome === 'unknown')) send.outcome = outcome
  }

  #isFenced(connEpoch: number, journalId: string): boolean {
    return this.isFenced(connEpoch) || this.journalId !== journalId
  }
}

export interface StoredJournal {
  /** The times of the events, in the order of the event numbers. The time of an event identifies the event. */
  readonly ids: string[]
  tag: string | undefined
}

export interface StoredSend {
  readonly command: SendCommand
  dispatchedJournal: string | undefined
  cancel: 'asked' | 'sent' | 'answered' | undefined
  isProcessed: boolean
  outcome: 'sent' | 'failed' | 'unknown' | 'cancelled' | undefined
}

type Fenced = { readonly kind: 'fenced' }
export type StoreAnswer =
  | { readonly kind: 'events-stored'; readonly mark: number }
  | { readonly kind: 'mark-behind'; readonly mark: number }
  | Fenced
export type ClaimAnswer =
  | { readonly kind: 'commands-claimed'; readonly commands: readonly Command[]; readonly areAll?: boolean }
  | Fenced

export const skipped = 'skipped'
export const unreadable = 'unreadable'

function instantOf(event: AgentEvent): string {
  return event.kind === 'received' ? event.receivedAt : event.at
}

const untouched = { dispatchedJournal: undefined, cancel: undefined, isProcessed: false, outcome: undefined }

function cancelOf({ command }: StoredSend): Command {
  return { kind: 'cancel', cmdId: command.cmdId }
}

function outcomeOf(event: AgentEvent): StoredSend['outcome'] {
  switch (event.kind) {
    case 'sent':
    case 'cancelled':
      return event.kind
    case 'failed':
      return event.code === 'submit_unknown' ? 'unknown' : 'failed'
    default:
      return undefined
  }
}
