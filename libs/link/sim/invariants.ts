import { isOverfull } from '../src/events/event-inbox.ts'
import type { RelayInput } from '../src/relay/state.ts'
import { type AgentProcess, capacity, urgentCapacity } from './agent-process.ts'
import { type ModelDisk, openSends } from './model-journal.ts'
import { unreadable } from './model-store.ts'
import type { ModelSession } from './relay-process.ts'
import type { LinkWorld } from './world.ts'

/**
 * The guarantees that apply at every moment, during network faults and crashes and with copied disks:
 *
 *   nothing acknowledged is lost   an acknowledged event is in the store; an acknowledged command is in the journal
 *   once and in order              event n of a journal is stored as event n and nothing else
 *   at most once                   no command is transmitted twice from one disk; a command that is in doubt or belongs
 *                                  to another journal is not transmitted at all
 *   fenced connections             every transaction names the epoch of its own connection
 *   no old copy is trusted         the stored events of a journal are the first events of the journal that is online
 *   limits                         both ends respect windows and credit
 *
 * At the end, when there are no more faults, all events arrive and all messages reach a final state (`judge.ts`).
 *
 * A copy that replaces the original before the relay stores anything newer cannot be distinguished from the original.
 * Only in this case may a command be transmitted from both disks.
 */
export class Invariants {
  readonly problems: string[] = []
  readonly ledger: { readonly cmdId: string; readonly disk: ModelDisk }[] = []
  readonly facts: string[] = []
  replaced = 0
  /** The received messages that are in replaced journals and no longer on a SIM. */
  readonly factsOfReplaced: { readonly fact: string; readonly disk: ModelDisk }[] = []
  replays = 0
  readonly #world: LinkWorld
  readonly #inDoubt = new Map<ModelDisk, Set<string>>()
  /** All events ever stored, by journal and number, including those that a restored backup does not contain. */
  readonly #everStored = new Set<string>()

  constructor(world: LinkWorld) {
    this.#world = world
  }

  received(fact: string): string {
    this.facts.push(fact)
    return fact
  }

  /** Checks that a `journaled` frame contains only commands that are on disk. */
  frameSent({ disk, bootId }: AgentProcess, text: string): void {
    if (!text.startsWith('{"type":"journaled"')) return
    const { keys } = JSON.parse(text) as { keys: readonly string[] }
    for (const key of keys) {
      if (!disk.commands.has(key.slice(key.indexOf(':') + 1)))
        this.#report(`${bootId} acknowledged ${key}, which is not on disk`)
    }
  }

  /** Called when the agent may remove the events up to `mark`. */
  markRecorded({ disk, bootId }: AgentProcess, mark: number): void {
    for (let seq = Math.max(disk.mark, disk.first - 1) + 1; seq <= mark; seq += 1) {
      if (!this.#isStored(disk, seq))
        this.#report(`event ${seq} of ${disk.journalId} was acknowledged to ${bootId} and is not stored`)
    }
  }

  agentStepped({ state, bootId }: AgentProcess): void {
    if (state.phase.kind !== 'online') return
    const { journaling } = state.queue
    if (journaling.length > 64) this.#report(`${bootId} is journaling ${journaling.length} commands`)
    const { sent, mark } = state.outbox
    if (sent - mark > state.phase.welcome.window && this.#world.schedule.story !== 'backup') {
      this.#report(`${bootId} has ${sent - mark} events in flight`)
    }
  }

  written({ disk, bootId }: AgentProcess): void {
    const open = openSends(disk)
    if (open > capacity + urgentCapacity) this.#report(`${bootId} accepted ${open} messages`)
  }

  relayStepped({ state }: ModelSession, input: RelayInput): void {
    if (input.kind === 'mark-behind') this.replays += 1
    if (state.phase.kind !== 'open') return
    const { inbox, outbox } = state.phase
    if (isOverfull(inbox, state.relay.window)) this.#report('a relay holds more events than its window')
    if (outbox.inFlight.length + outbox.waiting.length > 64) this.#report('a relay holds more than 64 commands')
  }

  transacted({ connEpoch }: ModelSession, named: number): void {
    if (named !== connEpoch) this.#report(`a connection of epoch ${connEpoch} named ${named}`)
  }

  welcomed(agent: AgentProcess, mark: number): void {
    const { disk, bootId } = agent
    for (let seq = 1; seq <= mark; seq += 1) {
      if (seq >= disk.first && !this.#isStored(disk, seq)) {
        this.#report(`${bootId} is online with ${disk.journalId}, but another event ${seq} is stored`)
        return
      }
    }
  }

  journalReplaced({ disk }: AgentProcess): void {
    this.replaced += 1
    const open = [...disk.commands].filter(([, { state }]) => state === 'received' || state === 'committed')
    this.#inDoubt.set(disk, new Set(open.map(([cmdId]) => cmdId)))
    for (const { text } of disk.events.slice(disk.first - 1)) {
      const event = JSON.parse(text) as { readonly kind: string; readonly id?: string }
      if (event.kind === 'received' && event.id !== undefined) this.factsOfReplaced.push({ fact: event.id, disk })
    }
  }

  transmitted(cmdId: string, { disk, bootId }: AgentProcess): void {
    const { store, schedule } = this.#world
    if (this.ledger.some((sent) => sent.cmdId === cmdId && sent.disk === disk))
      this.#report(`${bootId} sent ${cmdId} twice`)
    if (this.#inDoubt.get(disk)?.has(cmdId)) this.#report(`${bootId} sent ${cmdId}, which is in doubt`)
    const journalId = store.sends.get(cmdId)?.dispatchedJournal
    if (schedule.story !== 'backup' && journalId !== disk.journalId)
      this.#report(`${bootId} sent ${cmdId} of ${journalId}`)
    this.ledger.push({ cmdId, disk })
  }

  /** Called before a restore, because the relay may have acknowledged events that the backup does not contain. */
  storeSetBack(): void {
    for (const [journalId, { ids }] of this.#world.store.journals) {
      for (const [index, id] of ids.entries()) this.#everStored.add(`${journalId} ${index + 1} ${id}`)
    }
  }

  #isStored(disk: ModelDisk, seq: number): boolean {
    const own = idOf(disk, seq)
    const stored = this.#world.store.journals.get(disk.journalId)?.ids[seq - 1]
    return stored === own || this.#everStored.has(`${disk.journalId} ${seq} ${own}`)
  }

  #report(problem: string): void {
    if (this.problems.length < 20) this.problems.push(`${this.#world.time.nowMs.toFixed(0)} ms: ${problem}`)
  }
}

/** Identifies an event in the store. */
export function idOf(disk: ModelDisk, seq: number): string | undefined {
  const text = disk.events[seq - 1]?.text
  return text === undefined ? undefined : (/"(?:at|receivedAt)":"([^"]+)"/.exec(text)?.[1] ?? unreadable)
}
