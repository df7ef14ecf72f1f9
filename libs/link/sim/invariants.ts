import { isOverfull } from '../src/events/event-inbox.ts'
import type { RelayInput } from '../src/relay/state.ts'
import { type AgentProcess, capacity, urgentCapacity } from './agent-process.ts'
import { type Disk, openSends } from './model-journal.ts'
import { unreadable } from './model-store.ts'
import type { Session } from './relay-process.ts'
import type { World } from './world.ts'

/**
 * What must hold at every moment, whatever the network, the crashes and the copies did:
 *
 *   nothing acknowledged is lost     an event that the agent may forget is in the store; a command that the relay may
 *                                    forget is in the journal
 *   once and in order                event n of a journal is stored as event n, and as nothing else
 *   at most once                     no command goes out twice from one disk; what was given up never goes out; what belongs
 *                                    to another journal never does
 *   fenced connections commit        every transaction names the epoch that the store gave to this very connection
 *   nothing
 *   no old copy is believed          what the store has of a journal that was welcomed is the beginning of that journal
 *   bounded                          windows and credits are kept to by both ends
 *
 * At the end, when everything works again (`judge.ts`): everything arrives and everything ends.
 *
 * A copy that was made, and put back, before the relay heard anything newer of the original cannot be told from it; only
 * there may a command go out from both disks.
 */
export class Invariants {
  readonly problems: string[] = []
  readonly ledger: { readonly cmdId: string; readonly disk: Disk }[] = []
  readonly facts: string[] = []
  renounced = 0
  /** In journals that were renounced, and no longer on a SIM. */
  readonly factsOfRenounced: { readonly fact: string; readonly disk: Disk }[] = []
  replays = 0
  readonly #world: World
  readonly #givenUp = new Map<Disk, Set<string>>()
  /** Before a backup was restored, by journal and number. */
  readonly #everStored = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  received(fact: string): string {
    this.facts.push(fact)
    return fact
  }

  /** `send` of an agent: what it says that it has, it has. */
  frameSent({ disk, bootId }: AgentProcess, text: string): void {
    if (!text.startsWith('{"type":"journaled"')) return
    const { keys } = JSON.parse(text) as { keys: readonly string[] }
    for (const key of keys) {
      if (!disk.commands.has(key.slice(key.indexOf(':') + 1)))
        this.#say(`${bootId} acknowledged ${key}, which is not on disk`)
    }
  }

  /** From here on the agent may forget the events up to `mark`. */
  markRecorded({ disk, bootId }: AgentProcess, mark: number): void {
    for (let seq = Math.max(disk.mark, disk.first - 1) + 1; seq <= mark; seq += 1) {
      if (!this.#isStored(disk, seq))
        this.#say(`event ${seq} of ${disk.journalId} was acknowledged to ${bootId} and is not stored`)
    }
  }

  agentStepped({ state, bootId }: AgentProcess): void {
    if (state.phase.kind !== 'online') return
    const { journaling } = state.queue
    if (journaling.length > 64) this.#say(`${bootId} is journaling ${journaling.length} commands`)
    const { sent, mark } = state.outbox
    if (sent - mark > state.phase.welcome.window && this.#world.schedule.story !== 'backup') {
      this.#say(`${bootId} has ${sent - mark} events under way`)
    }
  }

  written({ disk, bootId }: AgentProcess): void {
    const open = openSends(disk)
    if (open > capacity + urgentCapacity) this.#say(`${bootId} was given ${open} messages`)
  }

  relayStepped({ state }: Session, input: RelayInput): void {
    if (input.kind === 'mark-behind') this.replays += 1
    if (state.phase.kind !== 'open') return
    const { inbox, outbox } = state.phase
    if (isOverfull(inbox, state.relay.window)) this.#say('a relay holds more events than its window')
    if (outbox.inFlight.length + outbox.waiting.length > 64) this.#say('a relay holds more than 64 commands')
  }

  transacted({ connEpoch }: Session, named: number): void {
    if (named !== connEpoch) this.#say(`a connection of epoch ${connEpoch} named ${named}`)
  }

  welcomed(agent: AgentProcess, mark: number): void {
    const { disk, bootId } = agent
    for (let seq = 1; seq <= mark; seq += 1) {
      if (seq >= disk.first && !this.#isStored(disk, seq)) {
        this.#say(`${bootId} was welcomed with ${disk.journalId}, whose event ${seq} is not the one that is stored`)
        return
      }
    }
  }

  givingUp({ disk }: AgentProcess): void {
    this.renounced += 1
    const open = [...disk.commands].filter(([, { state }]) => state === 'received' || state === 'committed')
    this.#givenUp.set(disk, new Set(open.map(([cmdId]) => cmdId)))
    for (const { text } of disk.events.slice(disk.first - 1)) {
      const event = JSON.parse(text) as { readonly kind: string; readonly id?: string }
      if (event.kind === 'received' && event.id !== undefined) this.factsOfRenounced.push({ fact: event.id, disk })
    }
  }

  wentOut(cmdId: string, { disk, bootId }: AgentProcess): void {
    const { store, schedule } = this.#world
    if (this.ledger.some((sent) => sent.cmdId === cmdId && sent.disk === disk))
      this.#say(`${bootId} sent ${cmdId} twice`)
    if (this.#givenUp.get(disk)?.has(cmdId)) this.#say(`${bootId} sent ${cmdId}, which was given up`)
    const journalId = store.sends.get(cmdId)?.dispatchedJournal
    if (schedule.story !== 'backup' && journalId !== disk.journalId)
      this.#say(`${bootId} sent ${cmdId} of ${journalId}`)
    this.ledger.push({ cmdId, disk })
  }

  /** Before the database is set back: what was stored may have been acknowledged. */
  storeSetBack(): void {
    for (const [journalId, { ids }] of this.#world.store.journals) {
      for (const [index, id] of ids.entries()) this.#everStored.add(`${journalId} ${index + 1} ${id}`)
    }
  }

  #isStored(disk: Disk, seq: number): boolean {
    const own = idOf(disk, seq)
    const stored = this.#world.store.journals.get(disk.journalId)?.ids[seq - 1]
    return stored === own || this.#everStored.has(`${disk.journalId} ${seq} ${own}`)
  }

  #say(problem: string): void {
    if (this.problems.length < 20) this.problems.push(`${this.#world.time.nowMs.toFixed(0)} ms: ${problem}`)
  }
}

/** By which the store knows an event. */
export function idOf(disk: Disk, seq: number): string | undefined {
  const text = disk.events[seq - 1]?.text
  return text === undefined ? undefined : (/"(?:at|receivedAt)":"([^"]+)"/.exec(text)?.[1] ?? unreadable)
}
