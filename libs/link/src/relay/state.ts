import type { CloseName } from '@smsgw/contract/link/close-code'
import type { Command } from '@smsgw/contract/link/command'
import type { Hello, Pair, Versions } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { ClaimRoom, CommandOutbox } from '../commands/command-outbox.ts'
import type { Heartbeat } from '../connection/heartbeat.ts'
import type { Pause } from '../connection/timers.ts'
import { spokenVersions } from '../connection/versions.ts'
import type { EventBatch, EventInbox } from '../events/event-inbox.ts'

/** What a relay knows of one socket of an agent. Never changed: each input makes the next one. */
export interface RelayState {
  readonly relay: RelayFacts
  readonly phase: RelayPhase
}

export interface RelayFacts {
  readonly relayId: string
  /** Fresh for each socket, at least 16 characters that nobody can guess. */
  readonly nonce: string
  readonly versions: Versions
  readonly heartbeatSeconds: number
  /** Events that an agent may have under way. */
  readonly window: number
}

export type RelayPhase =
  | { readonly kind: 'new' }
  | { readonly kind: 'challenged' }
  | { readonly kind: 'pairing' }
  /** The signature is being verified. */
  | { readonly kind: 'authenticating'; readonly hello: Hello; readonly version: number }
  /** The store counts the epoch up, and so fences whoever was connected before. */
  | {
      readonly kind: 'opening'
      readonly hello: Hello
      readonly version: number
      readonly newSettings?: Readonly<Record<string, unknown>>
    }
  | Open
  /** Closed by this end or the other. `connEpoch` is there when the store knows of this connection. */
  | { readonly kind: 'closed'; readonly connEpoch: number | undefined }

export interface Open {
  readonly kind: 'open'
  readonly hello: Hello
  readonly connEpoch: number
  readonly heartbeat: Heartbeat
  readonly inbox: EventInbox
  readonly outbox: CommandOutbox
  /** Nothing more is claimed: the agent was asked to leave. */
  readonly isDraining: boolean
  readonly settings: SettingsPush
  readonly ticks: number
}

/** Changes of the settings. An agent closes a connection with too many frames, so only the last of many changes is sent. */
export interface SettingsPush {
  /** Frames sent since the last tick. */
  readonly sent: number
  /** Sent at the next tick. */
  readonly pending?: Pick<RelayInput & { kind: 'settings-changed' }, 'settings' | 'serverTime'>
}

/** What the store says when it has counted the epoch up. */
export interface OpenedConnection {
  readonly connEpoch: number
  readonly streamId: string
  readonly mark: number
  readonly markTag?: string | undefined
  /** Of the hello before this one. */
  readonly previousBootId?: string | undefined
  /** The device has shown a newer journal since. It is given nothing, and stays with the newer one. */
  readonly isRetired: boolean
  readonly serverTime: string
  readonly settings: Readonly<Record<string, unknown>>
}

export type RelayInput =
  | { readonly kind: 'opened' }
  | { readonly kind: 'received'; readonly text: string }
  /** The code of the close frame, 1006 without one. */
  | { readonly kind: 'closed'; readonly code: number }
  | { readonly kind: 'timer'; readonly timer: RelayTimer }
  | { readonly kind: 'paired'; readonly deviceId: string }
  | { readonly kind: 'pairing-refused'; readonly reason: string }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'connection-opened'; readonly opened: OpenedConnection }
  /** Of the handshake: `unauthenticated`, `revoked`, `unavailable`. */
  | { readonly kind: 'refused'; readonly why: CloseName; readonly reason: string }
  /** Committed under this connection's epoch: the journal's mark is now this. */
  | { readonly kind: 'events-stored'; readonly mark: number }
  /** Nothing was committed, for the store has less than this connection was told. */
  | { readonly kind: 'mark-behind'; readonly mark: number }
  /** Committed or not, nobody knows: it is tried again. */
  | { readonly kind: 'store-failed' }
  | { readonly kind: 'commands-claimed'; readonly commands: readonly Command[] }
  | { readonly kind: 'claim-failed' }
  /** A newer connection holds the device: found in the store, or told by whoever holds it. */
  | { readonly kind: 'fenced' }
  /** There may be something to claim. */
  | { readonly kind: 'wake' }
  | {
      readonly kind: 'settings-changed'
      readonly settings: Readonly<Record<string, unknown>>
      /** The clock was set, too. */
      readonly serverTime?: string | undefined
    }
  | { readonly kind: 'revoked' }
  /** The database has another `streamId` than before: nobody knows what of this connection it remembers. */
  | { readonly kind: 'restored' }
  /** The relay is about to end, or the connection has lasted long enough. */
  | { readonly kind: 'drain'; readonly reconnectAfterMs: number }

export type RelayTimer = 'handshake' | 'tick' | 'retry'

export type RelayEffect =
  | { readonly kind: 'send'; readonly text: string }
  /** The machine is done with the socket: whoever does not answer the close frame in time is cut off. */
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  | ({ readonly kind: 'set-timer'; readonly timer: RelayTimer } & Pause)
  | { readonly kind: 'cancel-timer'; readonly timer: RelayTimer }
  /** Redeem the credential for this key; the same key again is the same device. Answer `paired` or `pairing-refused`. */
  | { readonly kind: 'pair'; readonly pair: Pair; readonly text: string }
  /** Verify `signature` over `text` with the device's key. Answer `authenticated` or `refused`. */
  | { readonly kind: 'authenticate'; readonly deviceId: string; readonly text: string; readonly signature: string }
  /** Count the epoch up, unless the socket is gone by then. Answer `connection-opened` or `refused`. */
  | { readonly kind: 'open-connection'; readonly hello: Hello }
  /** Only under this epoch: it is no longer this device's connection. */
  | { readonly kind: 'close-connection'; readonly connEpoch: number }
  /** One transaction under this epoch. Answer `events-stored`, `mark-behind`, `fenced` or `store-failed`. */
  | {
      readonly kind: 'store-events'
      readonly connEpoch: number
      readonly journalId: string
      readonly batch: EventBatch
    }
  /**
   * One transaction under this epoch: what waits for the device is committed as dispatched to the journal and given back.
   * `isResume` brings, instead, what was dispatched to it before and has not been taken over; all of it, whatever the room.
   * Answer `commands-claimed`, `fenced` or `claim-failed`.
   */
  | {
      readonly kind: 'claim-commands'
      readonly connEpoch: number
      readonly journalId: string
      readonly isResume: boolean
      readonly room: ClaimRoom
    }
  /** On the agent's disk, by `commandKey`. */
  | { readonly kind: 'commands-taken'; readonly keys: readonly string[] }
  /** No frame can hold it: end it as failed. */
  | { readonly kind: 'command-too-large'; readonly command: Command }
  | { readonly kind: 'take-telemetry'; readonly at: string; readonly sample: Readonly<Record<string, unknown>> }
  | { readonly kind: 'take-waiting'; readonly report: WaitingReport }
  /** Once in a heartbeat, as long as the connection stands. Answer `fenced` when it does not. */
  | { readonly kind: 'renew-lease'; readonly connEpoch: number }
  /** Two agents use one identity, and this one has stopped: their owner has to know. */
  | { readonly kind: 'report-duplicate'; readonly deviceId: string }

export function newConnection(
  relay: Pick<RelayFacts, 'relayId' | 'nonce'> & Partial<Omit<RelayFacts, 'relayId' | 'nonce'>>,
): RelayState {
  const defaults = { versions: spokenVersions, heartbeatSeconds: 20, window: 1_024 }
  return { relay: { ...defaults, ...relay }, phase: { kind: 'new' } }
}

export interface RelayStep {
  readonly state: RelayState
  readonly effects: readonly RelayEffect[]
}
