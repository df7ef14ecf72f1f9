import type { CloseName } from '@smsgw/contract/link/close-code'
import type { SimCard } from '@smsgw/contract/link/event'
import type { Capability, Versions, Welcome } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { CommandInbox, SendQueue } from '../commands/command-inbox.ts'
import type { ReceivedCommand } from '../commands/received-command.ts'
import type { Heartbeat } from '../connection/heartbeat.ts'
import type { Pause } from '../connection/timers.ts'
import { spokenVersions } from '../connection/versions.ts'
import { type EventOutbox, type JournaledEvent, openOutbox, type Reading } from '../events/event-outbox.ts'
import { type DuplicateEvidence, noDuplicate } from './duplicate-identity.ts'
import { type FrameBudget, fullBudget } from './frame-budget.ts'

/** What the agent's end of the link knows. Never changed: each input makes the next one. */
export interface AgentState {
  readonly agent: AgentFacts
  readonly identity: Identity
  readonly journal: Journal
  readonly outbox: EventOutbox
  readonly queue: SendQueue
  /** The newest socket. What older ones still have to say is not heard. */
  readonly connection: number
  readonly phase: AgentPhase
  /** Connections that failed since the last one that was proven to work both ways. */
  readonly attempts: number
  readonly duplicate: DuplicateEvidence
  /** Of the present connection. */
  readonly budget: FrameBudget
}

export interface AgentFacts {
  readonly bootId: string
  readonly agentVersion: string
  readonly capabilities: readonly Capability[]
  readonly publicKey: string
  /** What an account sees of it until somebody renames it. */
  readonly name: string
  readonly isClockSynchronised: boolean
  readonly sims: readonly SimCard[]
  readonly versions: Versions
}

/** The id under which the relay knows this agent, or what it is paired with. */
export type Identity = { readonly deviceId: string } | { readonly credential: string }

/** What stands in the journal about itself; `first`, `tail` and `mark` as in the outbox. */
export interface Journal {
  readonly id: string
  readonly replaces?: string | undefined
  /** The history of the relay's database that `mark` was told from. */
  readonly streamId?: string | undefined
}

export type JournalMarks = Pick<EventOutbox, 'first' | 'tail' | 'mark'>

interface Greeted {
  readonly relayId: string
  readonly nonce: string
}

export type AgentPhase =
  | { readonly kind: 'idle' }
  /** Between two connections. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'connecting' }
  /** The socket is open; the relay speaks first. */
  | { readonly kind: 'awaiting-challenge' }
  /** The app signs with its key. */
  | ({ readonly kind: 'signing'; readonly identity: Identity } & Greeted)
  | ({ readonly kind: 'pairing' } & Greeted)
  /** The id that pairing gave is being written down. */
  | ({ readonly kind: 'storing-identity' } & Greeted)
  | { readonly kind: 'awaiting-welcome' }
  /** The journal is asked whether its event at the relay's mark is the one that the relay has. */
  | { readonly kind: 'comparing-tag'; readonly welcome: Welcome }
  | Online
  /** The journal was found to be an old copy; the app is starting a new one. */
  | { readonly kind: 'replacing-journal' }
  /** Until somebody starts it again. */
  | { readonly kind: 'stopped'; readonly why: CloseName }

export interface Online {
  readonly kind: 'online'
  readonly welcome: Welcome
  readonly heartbeat: Heartbeat
  readonly inbox: CommandInbox
  readonly ticks: number
}

export type AgentInput =
  | { readonly kind: 'start' }
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'received'; readonly connection: number; readonly text: string }
  /** Also when it could not be opened; the code of the close frame, 1006 without one. */
  | { readonly kind: 'closed'; readonly connection: number; readonly code: number; readonly reason: string }
  | { readonly kind: 'timer'; readonly timer: AgentTimer }
  | { readonly kind: 'signed'; readonly connection: number; readonly signature: string }
  | { readonly kind: 'identity-stored'; readonly deviceId: string }
  | { readonly kind: 'tag-compared'; readonly connection: number; readonly isSame: boolean }
  /** Durable in the journal up to here. */
  | { readonly kind: 'events-appended'; readonly journalId: string; readonly tail: number }
  | {
      readonly kind: 'events-read'
      readonly connection: number
      readonly from: number
      readonly events: readonly JournaledEvent[]
    }
  /** Retention took the events before `first`. */
  | { readonly kind: 'events-pruned'; readonly journalId: string; readonly first: number }
  /** Durable: `open` is how many sends have not ended, these included. */
  | { readonly kind: 'commands-journaled'; readonly keys: readonly string[]; readonly open: number }
  | { readonly kind: 'queue-changed'; readonly queue: Partial<Omit<SendQueue, 'journaling'>> }
  | {
      readonly kind: 'journal-replaced'
      readonly journal: Journal
      readonly marks: JournalMarks
      readonly open: number
    }
  | { readonly kind: 'telemetry'; readonly at: string; readonly sample: Readonly<Record<string, unknown>> }
  | { readonly kind: 'waiting'; readonly report: WaitingReport }
  | { readonly kind: 'facts-changed'; readonly facts: Partial<Pick<AgentFacts, 'sims' | 'isClockSynchronised'>> }
  | { readonly kind: 'stop' }

/** A timer that is set again begins anew; `reconnect` fires at a time between the two, by chance. */
export type AgentTimer = 'handshake' | 'tick' | 'reconnect' | 'leave' | 'credit'

export type AgentEffect =
  | { readonly kind: 'connect'; readonly connection: number }
  | { readonly kind: 'send'; readonly connection: number; readonly text: string }
  /** The machine is done with this socket: whoever does not answer the close frame in time is cut off. */
  | { readonly kind: 'close'; readonly connection: number; readonly code: number; readonly reason: string }
  | ({ readonly kind: 'set-timer'; readonly timer: AgentTimer } & Pause)
  | { readonly kind: 'cancel-timer'; readonly timer: AgentTimer }
  | { readonly kind: 'sign'; readonly connection: number; readonly text: string }
  /** Write down durably under which id the relay knows this agent, and answer `identity-stored`. */
  | { readonly kind: 'store-identity'; readonly deviceId: string }
  /** Has the journal's event `seq` this tag? `isSame` also when the event is no longer there. */
  | { readonly kind: 'compare-tag'; readonly connection: number; readonly seq: number; readonly tag: string }
  /** Answer `events-read` with what the journal has from there on: one event at least, and no more than asked for. */
  | ({ readonly kind: 'read-events'; readonly connection: number } & Reading)
  /** Need not be durable; may go back, after the relay was restored, and is then to be believed. */
  | { readonly kind: 'record-mark'; readonly mark: number; readonly streamId: string }
  /**
   * Write to this journal, if it is still this one; each only once whatever its state. Answer `commands-journaled` when it
   * is on disk.
   */
  | { readonly kind: 'journal-commands'; readonly journalId: string; readonly commands: readonly ReceivedCommand[] }
  /**
   * In one transaction: a new journal id, every open command in doubt, and the events after `provenMark` (what the relay is
   * known to have of them) numbered from 1 under the new id. Until it is done nothing may be sent to a modem.
   */
  | { readonly kind: 'replace-journal'; readonly journalId: string; readonly provenMark: number }
  | {
      readonly kind: 'apply-settings'
      readonly settings: Readonly<Record<string, unknown>>
      /** The relay's clock was set. */
      readonly serverTime?: string | undefined
    }
  | { readonly kind: 'connected'; readonly welcome: Welcome }
  /** Also of a connection that never came to be welcomed. */
  | { readonly kind: 'disconnected'; readonly why: CloseName | 'lost'; readonly reason: string }
  /** It does not try again by itself. */
  | { readonly kind: 'stopped'; readonly why: CloseName; readonly reason: string }

export interface AgentStep {
  readonly state: AgentState
  readonly effects: readonly AgentEffect[]
}

export function newAgent(options: {
  readonly agent: Omit<AgentFacts, 'versions' | 'capabilities'> & Partial<Pick<AgentFacts, 'versions' | 'capabilities'>>
  readonly identity: Identity
  readonly journal: Journal
  readonly marks: JournalMarks
  readonly queue?: Omit<SendQueue, 'journaling'>
}): AgentState {
  const { agent, identity, journal, marks, queue } = options
  return {
    agent: { ...agent, versions: agent.versions ?? spokenVersions, capabilities: agent.capabilities ?? [] },
    identity,
    journal,
    outbox: openOutbox(marks),
    queue: { open: 0, capacity: 10, urgent: 4, ...queue, journaling: [] },
    connection: 0,
    phase: { kind: 'idle' },
    attempts: 0,
    duplicate: noDuplicate,
    budget: fullBudget,
  }
}
