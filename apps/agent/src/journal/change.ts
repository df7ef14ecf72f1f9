// Everything that can be written into the journal, as plain JSON. Changes of one write are on disk together, or not at all.
import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'

/** When something happened, by the clocks of this machine. */
export interface Stamp {
  readonly wallMs: number
  /** False while the machine's clock cannot be trusted. */
  readonly trusted: boolean
  /** A stamp of an untrusted clock can be dated later by the monotonic time of the same boot. */
  readonly bootId: string
  readonly monotonicMs: number
}

export type Change = CommandChange | PartChange | InboundChange | EventChange | NoteChange

type CommandChange =
  /** Ignored for a known command or a tombstone: a command is idempotent. */
  | { readonly kind: 'command-received'; readonly command: SendCommand; readonly at: Stamp }
  /** A cancel for a command that has not arrived: if it arrives later, it has ended already. */
  | { readonly kind: 'tombstone'; readonly cmdId: string; readonly at: Stamp }
  /** SIM and PDUs, before the first part is sent. Replaces an earlier plan of which no part was sent. */
  | { readonly kind: 'command-planned'; readonly cmdId: string; readonly plan: Plan }
  /** What the sender needs after a restart: tries, last reason, flags. */
  | { readonly kind: 'command-noted'; readonly cmdId: string; readonly note: Json }
  | { readonly kind: 'command-ended'; readonly cmdId: string; readonly at: Stamp; readonly outcome: CommandOutcome }
  /** Evidence that corrects `submit_unknown`, or a status report after `sent`. */
  | { readonly kind: 'command-corrected'; readonly cmdId: string; readonly outcome: CommandOutcome }

export interface Plan {
  readonly simNumber: number
  /** Identifies the SIM in any modem. */
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

/** `delivered` follows `sent`; the others are final, except `failed` as `submit_unknown`. */
export type CommandOutcome = 'sent' | 'delivered' | 'failed' | 'cancelled'

/** `attempt` is 1 for the first try to hand over the PDU. COMMIT and RESULT of an attempt may come in any order. */
type PartChange =
  /** From now on the part may be on the air. On disk before the PDU is written to the modem. */
  | ({ readonly kind: 'part-committed'; readonly at: Stamp; readonly evidence: Json } & PartAttempt)
  | ({
      readonly kind: 'part-result'
      readonly at: Stamp
      readonly result: PartResult
      /** TP-MR, as the modem gave it. */
      readonly reference?: number
      /** For the timeline, for example `CMS 38`. */
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

/** `not-sent`: withdrawn before a byte of the PDU was written, so it is not on the air. */
export type PartResult = 'accepted' | 'refused' | 'unknown' | 'not-sent'

type InboundChange =
  /** On disk before it is deleted from the SIM. Ignored when it is known. */
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
  /** Its slot; null: deleted. */
  | { readonly kind: 'inbound-slot'; readonly pduId: string; readonly slot: Slot | null }
  /** Its result: `emitted`, `joined`, `copy`, `report`, `unmatched`, `unreadable`, `silent`. */
  | {
      readonly kind: 'inbound-settled'
      readonly pduId: string
      readonly as: string
      readonly detail?: Json
      /** When it arrived, once that is known. */
      readonly datedMs?: number
    }
  /** Its PDU is not needed any more, only `remains`. */
  | { readonly kind: 'inbound-forgotten'; readonly pduId: string; readonly remains?: Json }

export interface Slot {
  readonly memory: string
  readonly index: number
}

type EventChange =
  /** For the relay, numbered in the order of writing. */
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** The last event that the relay has on disk, in one history of its database. Goes back when that was restored. */
  | { readonly kind: 'mark-recorded'; readonly mark: number; readonly streamId: string }
  /** The journal is an old copy: it gets a new id, and events that the relay may not have are renumbered. */
  | { readonly kind: 'journal-renounced'; readonly journalId: string; readonly provenMark: number }

/** Small records by name, such as SIM slots and settings. Null removes one. */
type NoteChange = { readonly kind: 'note'; readonly name: string; readonly value: Json }

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined }
