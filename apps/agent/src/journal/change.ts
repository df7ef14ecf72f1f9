// Everything that can be written into the journal, as plain JSON. What is written together is on disk together, or not at all.
import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'

/** When something happened, as far as this machine knows. */
export interface Stamp {
  readonly wallMs: number
  /** False while nothing vouches for the machine's clock. */
  readonly trusted: boolean
  /** With it a stamp of an untrusted clock can be dated later, while the machine has not been restarted. */
  readonly bootId: string
  readonly monotonicMs: number
}

export type Change = CommandChange | PartChange | InboundChange | EventChange | NoteChange

type CommandChange =
  /** Leaves alone what is known already, tombstones included: a command is idempotent. */
  | { readonly kind: 'command-received'; readonly command: SendCommand; readonly at: Stamp }
  /** A cancel for a command that has not been seen: should it come, it has ended already. */
  | { readonly kind: 'tombstone'; readonly cmdId: string; readonly at: Stamp }
  /** Before the first part goes out: on which SIM, as which PDUs. Takes the place of an earlier plan that was not begun. */
  | { readonly kind: 'command-planned'; readonly cmdId: string; readonly plan: Plan }
  /** What the sender has to remember of it: tries, when to try again, what it waits for. */
  | { readonly kind: 'command-noted'; readonly cmdId: string; readonly note: Json }
  | { readonly kind: 'command-ended'; readonly cmdId: string; readonly at: Stamp; readonly outcome: CommandOutcome }
  /** Evidence that came after a verdict of ignorance. */
  | { readonly kind: 'command-corrected'; readonly cmdId: string; readonly outcome: CommandOutcome }

export interface Plan {
  readonly simNumber: number
  /** Names the SIM for good, whatever modem it is put into. */
  readonly iccid: string
  /** As dialled. */
  readonly destination: string
  readonly requestsReport: boolean
  readonly parts: readonly PlannedPart[]
}

export interface PlannedPart {
  /** Service centre address and TPDU, in hexadecimal digits. */
  readonly pdu: string
  readonly tpduLength: number
}

/** `delivered` follows `sent`; the others are final, but for verdicts of ignorance. */
export type CommandOutcome = 'sent' | 'delivered' | 'failed' | 'cancelled'

/** `attempt`: 1 for the first time that its PDU is about to be handed over. Notes of one attempt may come in any order. */
type PartChange =
  /** From here on it may be on the air. Durable before the PDU is written to the modem. */
  | ({ readonly kind: 'part-committed'; readonly at: Stamp; readonly evidence: Json } & PartAttempt)
  | ({
      readonly kind: 'part-result'
      readonly at: Stamp
      readonly result: PartResult
      /** TP-MR, as the modem gave it. */
      readonly reference?: number
      /** `CMS 38`, `lost port`: for people and for the timeline. */
      readonly code?: string
    } & PartAttempt)
  | {
      readonly kind: 'part-reported'
      readonly cmdId: string
      /** 1-based. */
      readonly part: number
      readonly at: Stamp
      /** TP-ST. */
      readonly status: number
    }

interface PartAttempt {
  readonly cmdId: string
  /** 1-based. */
  readonly part: number
  readonly attempt: number
}

/** `not-sent`: withdrawn before a byte of the PDU was written; provably not on the air. */
export type PartResult = 'accepted' | 'refused' | 'unknown' | 'not-sent'

type InboundChange =
  /** Durable before it is deleted from the SIM. Leaves alone what is known already. */
  | {
      readonly kind: 'inbound-received'
      /** Derived from SIM and PDU. */
      readonly pduId: string
      readonly iccid: string
      readonly simNumber: number
      readonly pdu: string
      readonly at: Stamp
      readonly slot?: Slot
      readonly detail?: Json
    }
  /** Where it lies in a storage; null: nowhere any more. */
  | { readonly kind: 'inbound-slot'; readonly pduId: string; readonly slot: Slot | null }
  /** What became of it: `emitted`, `joined`, `copy`, `report`, `unmatched`, `unreadable`, `silent`. */
  | {
      readonly kind: 'inbound-settled'
      readonly pduId: string
      readonly as: string
      readonly detail?: Json
      /** When it came, once that is known; until then its stamp says. */
      readonly datedMs?: number
    }

export interface Slot {
  readonly memory: string
  readonly index: number
}

type EventChange =
  /** For the relay. It is numbered in the order of writing. */
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** What the relay has on disk, by the history of its database. May go back, after that was restored, and is believed. */
  | { readonly kind: 'mark-recorded'; readonly mark: number; readonly streamId: string }
  /**
   * This journal turned out to be an old copy: it goes on under another name, and the events that the relay is not known
   * to have are numbered anew.
   */
  | { readonly kind: 'journal-renounced'; readonly journalId: string; readonly provenMark: number }

/** Small records by name, such as SIM slots, entered PINs, reference counters. Null removes one. */
type NoteChange = { readonly kind: 'note'; readonly name: string; readonly value: Json }

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined }
