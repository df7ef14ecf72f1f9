// Everything that can be written into the journal, as plain JSON. The changes of one write reach the disk together or
// not at all.
import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'

/** The time of an event, by the clocks of this machine. */
export interface Stamp {
  readonly wallMs: number
  /** False if the machine's clock could not be trusted at that time. */
  readonly trusted: boolean
  /**
   * The boot during which `monotonicMs` was measured. If the clock becomes trusted during the same boot, the date of
   * the stamp can be calculated.
   */
  readonly bootId: string
  readonly monotonicMs: number
}

export type Change = CommandChange | PartChange | InboundChange | EventChange | NoteChange

type CommandChange =
  /** Ignored if the journal already has the command or its tombstone, because the relay may repeat commands. */
  | { readonly kind: 'command-received'; readonly command: SendCommand; readonly at: Stamp }
  /** A cancel for a command that has not arrived. If the command arrives later, it counts as ended. */
  | { readonly kind: 'tombstone'; readonly cmdId: string; readonly at: Stamp }
  /**
   * The SIM and the PDUs of a message. Written before the first part is sent. Replaces an earlier plan of which no part
   * was sent.
   */
  | { readonly kind: 'command-planned'; readonly cmdId: string; readonly plan: Plan }
  /** What the sender needs after a restart: the number of tries, the reason of the last failure, flags. */
  | { readonly kind: 'command-noted'; readonly cmdId: string; readonly note: Json }
  | { readonly kind: 'command-ended'; readonly cmdId: string; readonly at: Stamp; readonly outcome: CommandOutcome }
  /**
   * A new outcome of a command that has ended: either evidence corrects `submit_unknown`, or a status report arrives
   * after `sent`.
   */
  | { readonly kind: 'command-corrected'; readonly cmdId: string; readonly outcome: CommandOutcome }

export interface Plan {
  readonly simNumber: number
  /** Identifies the SIM in any modem. */
  readonly iccid: string
  /** The recipient's number, as dialled. */
  readonly destination: string
  readonly requestsReport: boolean
  readonly parts: readonly PlannedPart[]
}

export interface PlannedPart {
  /** Service centre address and TPDU, in hexadecimal digits. */
  readonly pdu: string
  readonly tpduLength: number
  /**
   * The whole text, for a modem that encodes the PDUs itself. In this case the plan has one part, and `pdu` is empty.
   */
  readonly text?: string
}

/**
 * Final, except that `sent` may become `delivered` or `failed`, and that `failed` with `submit_unknown` may be
 * corrected.
 */
export type CommandOutcome = 'sent' | 'delivered' | 'failed' | 'cancelled'

/**
 * `attempt` is 1 for the first attempt to submit the PDU. COMMIT and RESULT of an attempt may be written in any order.
 */
type PartChange =
  /**
   * After this change the part may have been sent. This change must be on disk before the PDU is written to the modem.
   */
  | ({ readonly kind: 'part-committed'; readonly at: Stamp; readonly evidence: Json } & PartAttempt)
  | ({
      readonly kind: 'part-result'
      readonly at: Stamp
      readonly result: PartResult
      /** The message reference (TP-MR), as the modem reported it. */
      readonly reference?: number
      /** The answer of the modem for the timeline, for example `CMS 38`. */
      readonly code?: string
    } & PartAttempt)
  | {
      readonly kind: 'part-reported'
      readonly cmdId: string
      /** Counted from 1. */
      readonly part: number
      readonly at: Stamp
      /** The status (TP-ST). */
      readonly status: number
    }

interface PartAttempt {
  readonly cmdId: string
  /** Counted from 1. */
  readonly part: number
  readonly attempt: number
}

/** `not-sent`: withdrawn before a byte of the PDU was written, so the part was not sent. */
export type PartResult = 'accepted' | 'refused' | 'unknown' | 'not-sent'

type InboundChange =
  /** A received PDU, which is on disk before it is deleted from the SIM. Ignored if the journal already has the PDU. */
  | {
      readonly kind: 'inbound-received'
      /** The id, derived from SIM and PDU. */
      readonly pduId: string
      readonly iccid: string
      readonly simNumber: number
      readonly pdu: string
      readonly at: Stamp
      readonly slot?: Slot
      readonly detail?: Json
      /** How the PDU was processed, if it was processed before it was written. */
      readonly settled?: string
    }
  /** The slot that holds the PDU; null after the PDU was deleted from the slot. */
  | { readonly kind: 'inbound-slot'; readonly pduId: string; readonly slot: Slot | null }
  /** How the PDU was processed: `emitted`, `joined`, `copy`, `report`, `unmatched`, `unreadable` or `silent`. */
  | {
      readonly kind: 'inbound-settled'
      readonly pduId: string
      readonly as: string
      readonly detail?: Json
      /** The time of arrival; absent until the time is known. */
      readonly datedMs?: number
    }
  /** The PDU is no longer needed and is removed, except for `remains`. */
  | { readonly kind: 'inbound-forgotten'; readonly pduId: string; readonly remains?: Json }

export interface Slot {
  readonly memory: string
  readonly index: number
}

type EventChange =
  /** An event for the relay. Events are numbered in the order in which they are written. */
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /**
   * The last event that the relay has on disk. `streamId` names the history of the relay's database: after a restore
   * from a backup, the database has a new history, and the number may be lower.
   */
  | { readonly kind: 'mark-recorded'; readonly mark: number; readonly streamId: string }
  /** The journal is an old copy. The journal gets a new id, and events that the relay may not have are renumbered. */
  | { readonly kind: 'journal-renounced'; readonly journalId: string; readonly provenMark: number }

/** Small records with a name, such as SIM slots and settings. The value null removes a record. */
type NoteChange = { readonly kind: 'note'; readonly name: string; readonly value: Json }

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined }
