import type { SendCommand } from '@smsgw/contract/link/command'
import type { OutgoingText } from '@smsgw/modem/send/submit'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change, Plan, Stamp } from '../journal/change.ts'
import { type DoubtState, newDoubts } from './doubt/doubts.ts'
import type { AttemptResult } from './message/attempt-result.ts'
import type { MessageFailure } from './message/endings.ts'
import type { OutgoingMessage } from './message/message.ts'
import { newSchedule, type ScheduleState } from './schedule/lanes.ts'
import type { SendingLimits, SendingSettings } from './schedule/sending-settings.ts'
import type { SendingSim } from './sending-sim.ts'
import { VersionedMap } from './versioned-map.ts'

/** Everything that decisions about sending depend on. Immutable: `next` returns a new state. */
export interface SendingState {
  readonly limits: SendingLimits
  /** Messages that have not ended. */
  readonly open: VersionedMap<string, OutgoingMessage>
  /** Messages that ended as `submit_unknown`, oldest first. */
  readonly remembered: ReadonlyMap<string, OutgoingMessage>
  /** Messages of an earlier process, which wait until the relay has confirmed the journal. */
  readonly unconfirmed: ReadonlySet<string>
  readonly schedule: ScheduleState
  readonly doubt: DoubtState
  /** The monotonic time for which the timer is set; infinity without a timer. */
  readonly timerAtMs: number
  readonly isStopped: boolean
}

export function newSending(limits: SendingLimits): SendingState {
  return {
    limits,
    open: new VersionedMap(),
    remembered: new Map(),
    unconfirmed: new Set(),
    schedule: newSchedule(),
    doubt: newDoubts(),
    timerAtMs: Number.POSITIVE_INFINITY,
    isStopped: false,
  }
}

/** One attempt to submit one part through one SIM. */
export interface Attempt {
  readonly sim: SendingSim
  readonly cmdId: string
  /** The part, counted from 0. The journal counts parts from 1. */
  readonly at: number
  /** The number of the attempt, counted from 1. No two attempts of a part have the same number. */
  readonly attempt: number
}

export type SendingInput =
  /** The open messages of the journal, and those that ended as `submit_unknown`. */
  | {
      readonly kind: 'restored'
      readonly open: readonly OutgoingMessage[]
      readonly givenUp: readonly OutgoingMessage[]
    }
  /** Commands are on disk. */
  | { readonly kind: 'accepted'; readonly commands: readonly SendCommand[]; readonly receivedMs: number }
  /** A request to cancel an open message. */
  | { readonly kind: 'cancel'; readonly cmdId: string }
  /** The relay confirmed that the journal is not an old copy. */
  | { readonly kind: 'journal-confirmed' }
  /** A clone may have the same journal, or the device was removed. */
  | { readonly kind: 'journal-unconfirmed' }
  /** The journal is an old copy. The change `renounced` gives the journal a new id. */
  | { readonly kind: 'journal-distrusted'; readonly renounced: Change }
  | { readonly kind: 'sims-known'; readonly simNumbers: readonly number[] }
  | { readonly kind: 'sim-ready'; readonly sim: SendingSim }
  | { readonly kind: 'history-read'; readonly sim: SendingSim; readonly sentMs: readonly number[] }
  | { readonly kind: 'sim-lost-network'; readonly sim: SendingSim }
  | { readonly kind: 'sim-gone'; readonly sim: SendingSim }
  | { readonly kind: 'settings'; readonly settings: SendingSettings }
  | { readonly kind: 'time-changed' }
  | { readonly kind: 'timer' }
  | { readonly kind: 'planned'; readonly sim: SendingSim; readonly cmdId: string; readonly planned: Planned }
  /** The modem waits for the PDU, or has just got the command. Without a `commit` effect, nothing is sent. */
  | ({ readonly kind: 'prompted' } & Attempt)
  /** The COMMIT is on disk. */
  | ({ readonly kind: 'committed' } & Attempt)
  | ({ readonly kind: 'result'; readonly result: AttemptResult } & Attempt)
  /**
   * The RESULT or the evidence is on disk, or the journal refused it. `isAnswer`: true if the evidence is an answer of
   * the modem.
   */
  | {
      readonly kind: 'result-written'
      readonly unwritten: string
      readonly reference: number | undefined
      readonly isAnswer: boolean
    }
  /** An internal error while a message was planned or submitted. */
  | { readonly kind: 'sending-crashed'; readonly sim: SendingSim; readonly cmdId: string }
  /** An answer to an attempt whose outcome was unknown. */
  | {
      readonly kind: 'late-result'
      readonly cmdId: string
      readonly at: number
      readonly attempt: number
      readonly result: AttemptResult
    }
  /** A status report for a part whose reference is known. The message may have ended. */
  | {
      readonly kind: 'part-reported'
      readonly message: OutgoingMessage
      readonly at: number
      readonly status: number
      /** Written together with the consequences of the report. */
      readonly together?: readonly Change[]
    }
  /** A status report that proves that a part in doubt was accepted. */
  | { readonly kind: 'doubt-proved'; readonly cmdId: string; readonly at: number; readonly report: StatusReport }
  /** The evidence that ended a doubt is on disk. */
  | { readonly kind: 'doubt-resolved'; readonly cmdId: string; readonly result: AttemptResult | undefined }
  /** The outcome `submit_unknown` is on disk. */
  | { readonly kind: 'give-up-written'; readonly cmdId: string }
  /** The end of the message is on disk. */
  | { readonly kind: 'ended'; readonly cmdId: string }
  | { readonly kind: 'stop' }

export type SendingEffect =
  /**
   * Write, and retry while the disk is full. `onWritten` is the next input when the changes are on disk. `onSettled` is
   * the next input when the changes are on disk or refused.
   */
  | {
      readonly kind: 'write'
      readonly changes: readonly Change[]
      /** How long the write may wait, to share a commit with another write. */
      readonly mayWaitMs?: number
      readonly onWritten?: SendingInput
      readonly onSettled?: SendingInput
      readonly crashPoint?: 'doubt-journaled' | 'result-journaled'
    }
  /** Write the COMMIT without retries, before the modem gets the PDU. */
  | { readonly kind: 'commit'; readonly changes: readonly Change[] }
  /** Read the history of a SIM. Answered by `history-read`. */
  | { readonly kind: 'read-history'; readonly sim: SendingSim }
  /** Decrypt and encode a message. Answered by `planned` or `sending-crashed`. */
  | {
      readonly kind: 'plan'
      readonly sim: SendingSim
      readonly command: SendCommand
      readonly validForSeconds: number | undefined
    }
  /** Pass a part to the modem. Answered by `result` or `sending-crashed`. */
  | ({
      readonly kind: 'submit'
      readonly pdu: string
      readonly tpduLength: number
      /** The text to send instead of the PDU, with its destination. */
      readonly text: OutgoingText | undefined
      readonly moreFollow: boolean
    } & Attempt)
  | { readonly kind: 'set-timer'; readonly atMs: number }
  | { readonly kind: 'cancel-timer' }
  /**
   * The reference of a part has become known, or it is certain that the reference stays unknown. Reports that arrived
   * earlier may match now.
   */
  | { readonly kind: 'reference-known'; readonly reference: number | undefined }
  | { readonly kind: 'open-changed'; readonly open: number }
  /** All parts of the message were accepted, and its RESULT is being written. */
  | { readonly kind: 'message-sent'; readonly message: OutgoingMessage }

export type Planned = { readonly ok: true; readonly plan: Plan } | ({ readonly ok: false } & MessageFailure)

/** Clock and randomness at the time of one input. */
export interface Moment {
  /** Monotonic time. */
  readonly nowMs: number
  /** Wall time, and whether it can be trusted. */
  readonly stamp: Stamp
  /** Local time with a numeric offset. */
  local(wallMs: number): string
  /** Minutes since local midnight. */
  minuteOfDay(wallMs: number): number
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number
}

export interface SendingStep {
  readonly state: SendingState
  readonly effects: readonly SendingEffect[]
}
