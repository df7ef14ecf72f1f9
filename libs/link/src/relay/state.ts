import type { CloseName } from '@smsgw/contract/link/close-code'
import type { Command } from '@smsgw/contract/link/command'
import type { EventsFrame, Hello, Pair, Versions } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { ClaimRoom, CommandOutbox } from '../commands/command-outbox.ts'
import type { Heartbeat } from '../connection/heartbeat.ts'
import type { PauseRange } from '../connection/timers.ts'
import { supportedVersions } from '../connection/versions.ts'
import type { EventInbox, ReceivedBatch } from '../events/event-inbox.ts'

/** The state of the relay's end of one connection. Immutable: each input returns the next state. */
export interface RelayState {
  readonly relay: RelayFacts
  readonly phase: RelayPhase
}

export interface RelayFacts {
  readonly relayId: string
  /** Random for each socket, at least 16 characters. */
  readonly nonce: string
  readonly versions: Versions
  readonly heartbeatSeconds: number
  /** Maximum number of unacknowledged events of an agent. */
  readonly window: number
}

export type RelayPhase =
  | { readonly kind: 'new' }
  | { readonly kind: 'challenged' }
  | { readonly kind: 'pairing' }
  /** The signature is being verified. */
  | { readonly kind: 'authenticating'; readonly hello: Hello; readonly version: number }
  /** The store increments the epoch, which fences earlier connections of the device. */
  | {
      readonly kind: 'opening'
      readonly hello: Hello
      readonly version: number
      readonly newSettings?: Readonly<Record<string, unknown>>
    }
  | Open
  /** Closed by either end. `connEpoch` is undefined if the store has not opened this connection. */
  | { readonly kind: 'closed'; readonly connEpoch: number | undefined }

export interface Open {
  readonly kind: 'open'
  readonly hello: Hello
  readonly connEpoch: number
  readonly heartbeat: Heartbeat
  readonly inbox: EventInbox
  readonly outbox: CommandOutbox
  readonly settings: SettingsPush
  readonly ticks: number
}

/**
 * Changed settings to send. An agent closes a connection with too many frames, so only the last of many changes is
 * sent.
 */
export interface SettingsPush {
  /** The number of settings frames since the last tick. */
  readonly sent: number
  /** The settings to send at the next tick. */
  readonly pending?: Readonly<Record<string, unknown>>
}

/** What the store returns when it has incremented the epoch. */
export interface OpenedConnection {
  readonly connEpoch: number
  readonly streamId: string
  readonly mark: number
  readonly markTag?: string | undefined
  /** Boot id of the previous connection of the device. */
  readonly previousBootId?: string | undefined
  /** True if the device has already used a newer journal. This journal is then an old copy and gets no commands. */
  readonly isRetired: boolean
  readonly serverTime: string
  readonly settings: Readonly<Record<string, unknown>>
}

export type RelayInput =
  | { readonly kind: 'opened' }
  /** `frame` is the same frame from an agent in the same process. It is valid, so the text is not read. */
  | { readonly kind: 'received'; readonly text: string; readonly frame?: EventsFrame | undefined }
  /** `code` is the code of the close frame, or 1006 without such a frame. */
  | { readonly kind: 'closed'; readonly code: number }
  | { readonly kind: 'timer'; readonly timer: RelayTimer }
  | { readonly kind: 'paired'; readonly deviceId: string }
  | { readonly kind: 'pairing-refused'; readonly reason: string }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'connection-opened'; readonly opened: OpenedConnection }
  /** Ends the handshake: `unauthenticated`, `revoked` or `unavailable`. */
  | { readonly kind: 'refused'; readonly why: CloseName; readonly reason: string }
  /**
   * The events were committed under the epoch of this connection. `mark` is the new mark of the journal. All events
   * that arrive within `pauseMs` are then stored in one batch.
   */
  | { readonly kind: 'events-stored'; readonly mark: number; readonly pauseMs: number }
  /** Nothing was committed, because the store has fewer events than it acknowledged on this connection. */
  | { readonly kind: 'mark-behind'; readonly mark: number }
  /** It is unknown whether the transaction was committed, so it is repeated. */
  | { readonly kind: 'store-failed' }
  /**
   * `areAll` is true if no other commands were waiting to be claimed at a time after the claim was requested. Then no
   * further claim is needed until the next `wake`.
   */
  | { readonly kind: 'commands-claimed'; readonly commands: readonly Command[]; readonly areAll?: boolean }
  | { readonly kind: 'claim-failed' }
  /** A newer connection of the device exists, as the store or the relay of that connection reports. */
  | { readonly kind: 'fenced' }
  /** Commands may be waiting to be claimed. Without `due`, the commands may be of any kind. */
  | { readonly kind: 'wake'; readonly due?: 'ordinary-sends' | undefined }
  /** Begins the claim of sends that a transaction is about to store, unless a claim cannot begin now. */
  | { readonly kind: 'claim-along'; readonly due?: 'ordinary-sends' | undefined }
  | {
      readonly kind: 'settings-changed'
      readonly settings: Readonly<Record<string, unknown>>
      /** The new time; present if the clock of the relay was set. */
      readonly serverTime?: string | undefined
    }
  | { readonly kind: 'revoked' }
  /** The database was restored from a backup and has another `streamId`. */
  | { readonly kind: 'restored' }
  /** The relay is stopping, or moves its connections to other relays. */
  | { readonly kind: 'drain'; readonly reconnectAfterMs: number }

export type RelayTimer = 'handshake' | 'pending' | 'tick' | 'retry' | 'store'

export type RelayEffect =
  | { readonly kind: 'send'; readonly text: string }
  /** Close the socket, forcibly if the agent does not answer the close frame in time. */
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  | ({ readonly kind: 'set-timer'; readonly timer: RelayTimer } & PauseRange)
  | { readonly kind: 'cancel-timer'; readonly timer: RelayTimer }
  /** Redeem the credential for this key. A known key keeps its device. Reply with `paired` or `pairing-refused`. */
  | { readonly kind: 'pair'; readonly pair: Pair; readonly text: string }
  /** Verify the `signature` of `text` with the device's key. Reply with `authenticated` or `refused`. */
  | { readonly kind: 'authenticate'; readonly deviceId: string; readonly text: string; readonly signature: string }
  /** Increment the epoch, unless the socket is closed by then. Reply with `connection-opened` or `refused`. */
  | { readonly kind: 'open-connection'; readonly hello: Hello }
  /** Mark the device as offline if it still has this epoch. */
  | { readonly kind: 'close-connection'; readonly connEpoch: number }
  /**
   * Store the batch in one transaction under this epoch. Reply with `events-stored`, `mark-behind`, `fenced` or
   * `store-failed`.
   */
  | {
      readonly kind: 'store-events'
      readonly connEpoch: number
      readonly journalId: string
      readonly batch: ReceivedBatch
    }
  /**
   * In one transaction under this epoch, take pending commands of the device, record that they were dispatched to this
   * journal, and return them. With `isResume`, instead return all commands that were dispatched to the journal earlier
   * and not acknowledged, regardless of the capacity. Reply with `commands-claimed`, `fenced` or `claim-failed`.
   */
  | {
      readonly kind: 'claim-commands'
      readonly connEpoch: number
      readonly journalId: string
      readonly isResume: boolean
      readonly room: ClaimRoom
    }
  /** Claim at the end of the transaction of the input. Reply with `commands-claimed` or `claim-failed`. */
  | { readonly kind: 'claim-along'; readonly room: ClaimRoom }
  /** The keys of commands that are on the agent's disk. */
  | { readonly kind: 'commands-taken'; readonly keys: readonly string[] }
  /** End the command as failed, because it does not fit into a frame. */
  | { readonly kind: 'command-too-large'; readonly command: Command }
  | { readonly kind: 'take-telemetry'; readonly at: string; readonly sample: Readonly<Record<string, unknown>> }
  | { readonly kind: 'take-waiting'; readonly report: WaitingReport }
  /** Renew the lease, once in each heartbeat. Reply with `fenced` if a newer connection of the device exists. */
  | { readonly kind: 'renew-lease'; readonly connEpoch: number }
  /** Notify the owner that two agents use one identity and that this agent has stopped. */
  | { readonly kind: 'report-duplicate'; readonly deviceId: string }

export function newConnection(
  relay: Pick<RelayFacts, 'relayId' | 'nonce'> & Partial<Omit<RelayFacts, 'relayId' | 'nonce'>>,
): RelayState {
  const defaults = { versions: supportedVersions, heartbeatSeconds: 20, window: 1_024 }
  return { relay: { ...defaults, ...relay }, phase: { kind: 'new' } }
}

export interface RelayStep {
  readonly state: RelayState
  readonly effects: readonly RelayEffect[]
}
