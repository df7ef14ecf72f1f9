import type { CloseName } from '@smsgw/contract/link/close-code'
import type { AliasKey, EncryptionKey, SimCard } from '@smsgw/contract/link/event'
import type { Capability, EventsFrame, Versions, Welcome } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { CommandInbox, SendQueue } from '../commands/command-inbox.ts'
import type { ReceivedCommand } from '../commands/received-command.ts'
import type { Heartbeat } from '../connection/heartbeat.ts'
import type { PauseRange } from '../connection/timers.ts'
import { supportedVersions } from '../connection/versions.ts'
import { type EventOutbox, type EventRange, type JournaledEvent, openOutbox } from '../events/event-outbox.ts'
import { type DuplicateEvidence, noDuplicate } from './duplicate-identity.ts'
import { type FrameBudget, fullBudget } from './frame-budget.ts'

/** The state of the agent's end of the link. Immutable: each input returns the next state. */
export interface AgentState {
  readonly agent: AgentFacts
  readonly identity: Identity
  readonly journal: JournalIdentity
  readonly outbox: EventOutbox
  readonly queue: SendQueue
  /** The number of the newest socket. Inputs from older sockets are ignored. */
  readonly connection: number
  readonly phase: AgentPhase
  /** The number of failed connections since the last connection that worked in both directions. */
  readonly attempts: number
  /** The number of failed connections, among those counted in `attempts`, that did not reach a relay. */
  readonly unreachable: number
  /**
   * The number of connections since the last welcome that were closed because no frame arrived within the time limit.
   */
  readonly stalled: number
  readonly duplicate: DuplicateEvidence
  /** The frame budget of the current connection. */
  readonly budget: FrameBudget
}

export interface AgentFacts {
  readonly bootId: string
  readonly agentVersion: string
  readonly capabilities: readonly Capability[]
  readonly publicKey: string
  /** The initial name of the device, which the account may change. */
  readonly name: string
  readonly isClockSynchronised: boolean
  readonly sims: readonly SimCard[]
  /** The key for encrypted messages; undefined while the agent is being paired. */
  readonly encryptionKey?: EncryptionKey | undefined
  /** The key of the aliases of phone numbers; undefined while the account does not hide senders. */
  readonly aliasKey?: AliasKey | undefined
  readonly versions: Versions
}

/** The id of the paired device, or the code or token to pair with. */
export type Identity = { readonly deviceId: string } | { readonly credential: string }

/** The identity of the journal. */
export interface JournalIdentity {
  readonly id: string
  readonly replaces?: string | undefined
  /** The `streamId` of the relay's database that acknowledged `mark`. */
  readonly streamId?: string | undefined
}

export type JournalMarks = Pick<EventOutbox, 'first' | 'tail' | 'mark'>

interface Challenged extends Waiting {
  readonly relayId: string
  readonly nonce: string
}

interface Waiting {
  /** True if the relay sends `pending` until it answers. */
  readonly sendsPending?: boolean | undefined
  /** True if no frame has arrived for half of the time limit. */
  readonly isLate?: boolean | undefined
}

export type AgentPhase =
  | { readonly kind: 'idle' }
  /** The agent waits between two connections. */
  | { readonly kind: 'waiting' }
  /** `isReached`: a TCP connection exists, so the network works. `isLate`: the usual time limit is over. */
  | { readonly kind: 'connecting'; readonly isReached?: boolean; readonly isLate?: boolean }
  /** The socket is open. The agent waits for the first frame, which the relay sends. */
  | { readonly kind: 'awaiting-challenge'; readonly isLate?: boolean }
  /** The app signs the challenge. */
  | ({ readonly kind: 'signing'; readonly identity: Identity } & Challenged)
  | ({ readonly kind: 'pairing' } & Challenged)
  /** The app stores the id from pairing. */
  | ({ readonly kind: 'storing-identity' } & Challenged)
  | ({ readonly kind: 'awaiting-welcome' } & Waiting)
  /** The app compares the tag of the event at the relay's mark. */
  | { readonly kind: 'comparing-tag'; readonly welcome: Welcome }
  | Online
  /** The journal is an old copy, and the app gives the journal a new id. */
  | { readonly kind: 'replacing-journal' }
  /** The link is stopped until it is started again. */
  | { readonly kind: 'stopped'; readonly why: CloseName }

export interface Online {
  readonly kind: 'online'
  readonly welcome: Welcome
  readonly heartbeat: Heartbeat
  readonly inbox: CommandInbox
  readonly ticks: number
}

type ChangingFact = 'sims' | 'isClockSynchronised' | 'encryptionKey' | 'aliasKey'

export type AgentInput =
  | { readonly kind: 'start' }
  /** The TCP connection is established. Optional. Without this input, the agent waits for a shorter time. */
  | { readonly kind: 'reached'; readonly connection: number }
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'received'; readonly connection: number; readonly text: string }
  /**
   * The socket was closed, or the relay did not accept the connection. `code` is the code of the close frame, or 1006
   * without such a frame.
   */
  | { readonly kind: 'closed'; readonly connection: number; readonly code: number; readonly reason: string }
  | ({ readonly kind: 'unreachable'; readonly connection: number } & Unreachable)
  | { readonly kind: 'timer'; readonly timer: AgentTimer }
  | { readonly kind: 'signed'; readonly connection: number; readonly signature: string }
  | { readonly kind: 'identity-stored'; readonly deviceId: string }
  | { readonly kind: 'tag-compared'; readonly connection: number; readonly isSame: boolean }
  /** Events up to `tail` are on disk. */
  | { readonly kind: 'events-appended'; readonly journalId: string; readonly tail: number }
  | {
      readonly kind: 'events-read'
      readonly connection: number
      readonly from: number
      readonly events: readonly JournaledEvent[]
    }
  /** The events before `first` were removed because of their age. */
  | { readonly kind: 'events-pruned'; readonly journalId: string; readonly first: number }
  /** The commands are on disk. `open`: the number of unfinished sends, including these commands. */
  | { readonly kind: 'commands-journaled'; readonly keys: readonly string[]; readonly open: number }
  | { readonly kind: 'queue-changed'; readonly queue: Partial<Omit<SendQueue, 'journaling'>> }
  | {
      readonly kind: 'journal-replaced'
      readonly journal: JournalIdentity
      readonly marks: JournalMarks
      readonly open: number
    }
  | { readonly kind: 'telemetry'; readonly at: string; readonly sample: Readonly<Record<string, unknown>> }
  | { readonly kind: 'waiting'; readonly report: WaitingReport }
  | { readonly kind: 'facts-changed'; readonly facts: Partial<Pick<AgentFacts, ChangingFact>> }
  | { readonly kind: 'stop' }

/** The connection could not be opened, because no relay is running or the network is down. */
export interface Unreachable {
  readonly reason: string
  /** True if a proxy in front of the relays answered. */
  readonly isProxied: boolean
}

/** Set a timer. Setting a timer that is already running restarts it. */
export type AgentTimer = 'handshake' | 'tick' | 'reconnect' | 'leave' | 'credit'

export type AgentEffect =
  | { readonly kind: 'connect'; readonly connection: number }
  /** `frame` is the parsed form of `text`. A relay in the same process uses `frame` and need not parse `text`. */
  | { readonly kind: 'send'; readonly connection: number; readonly text: string; readonly frame?: EventsFrame }
  /** Close this socket, forcibly if the relay does not answer the close frame in time. */
  | { readonly kind: 'close'; readonly connection: number; readonly code: number; readonly reason: string }
  | ({ readonly kind: 'set-timer'; readonly timer: AgentTimer } & PauseRange)
  | { readonly kind: 'cancel-timer'; readonly timer: AgentTimer }
  | { readonly kind: 'sign'; readonly connection: number; readonly text: string }
  /** Store the device id on disk. Then reply with the input `identity-stored`. */
  | { readonly kind: 'store-identity'; readonly deviceId: string }
  /**
   * Reply with the input `tag-compared`. It contains true if event `seq` has this tag, or if the journal does not have
   * the event any more.
   */
  | { readonly kind: 'compare-tag'; readonly connection: number; readonly seq: number; readonly tag: string }
  /**
   * Reply with the input `events-read`. It contains at least one and at most `most` events, starting at event `from`.
   */
  | ({ readonly kind: 'read-events'; readonly connection: number } & EventRange)
  /**
   * Record the mark, which need not be on disk at once. The mark may decrease after the relay was restored from a
   * backup.
   */
  | { readonly kind: 'record-mark'; readonly mark: number; readonly streamId: string }
  /**
   * Write the commands to the journal, unless its id has changed. A known command is not written again. Reply with
   * `commands-journaled` when the commands are on disk.
   */
  | { readonly kind: 'journal-commands'; readonly journalId: string; readonly commands: readonly ReceivedCommand[] }
  /**
   * In one transaction, give the journal a new id, put every open command in doubt, and renumber the events after
   * `provenMark` from 1, because the relay may not have them. Send nothing to a modem before that is done. Then reply
   * with `journal-replaced`.
   */
  | { readonly kind: 'replace-journal'; readonly journalId: string; readonly provenMark: number }
  | {
      readonly kind: 'apply-settings'
      readonly settings: Readonly<Record<string, unknown>>
      /** The new time of the relay. Undefined unless the relay's clock was set. */
      readonly serverTime?: string | undefined
    }
  | { readonly kind: 'connected'; readonly welcome: Welcome }
  /** The connection ended. Also reported for a connection that was never online. */
  | { readonly kind: 'disconnected'; readonly why: CloseName | 'lost'; readonly reason: string }
  /** The link has stopped. No further connection is opened until `start`. */
  | { readonly kind: 'stopped'; readonly why: CloseName; readonly reason: string }

export interface AgentStep {
  readonly state: AgentState
  readonly effects: readonly AgentEffect[]
}

export function newAgent(options: {
  readonly agent: Omit<AgentFacts, 'versions' | 'capabilities'> & Partial<Pick<AgentFacts, 'versions' | 'capabilities'>>
  readonly identity: Identity
  readonly journal: JournalIdentity
  readonly marks: JournalMarks
  readonly queue?: Omit<SendQueue, 'journaling'>
}): AgentState {
  const { agent, identity, journal, marks, queue } = options
  return {
    agent: { ...agent, versions: agent.versions ?? supportedVersions, capabilities: agent.capabilities ?? [] },
    identity,
    journal,
    outbox: openOutbox(marks),
    queue: { open: 0, capacity: 10, urgent: 4, ...queue, journaling: [] },
    connection: 0,
    phase: { kind: 'idle' },
    attempts: 0,
    unreachable: 0,
    stalled: 0,
    duplicate: noDuplicate,
    budget: fullBudget,
  }
}
