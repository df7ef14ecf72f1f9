import type { AskBeforePdu } from './before-pdu.ts'
import type { CommandError } from './command-error.ts'
import type { ResponseLine } from './response-line.ts'

/** One PDU to hand to the modem in two steps (27.005 §3.5.1): `AT+CMGS=<length>`, the prompt, PDU and Ctrl-Z. */
export interface Submission {
  /** The caller's name for it; a late result carries it back. */
  readonly id: string
  /** Without the final CR: `AT+CMGS=24`. */
  readonly command: string
  /** Service centre address and TPDU in hexadecimal digits. */
  readonly pdu: string
  /** Asked when the prompt is there, before a byte of the PDU is written. `go` is what the outcome is accountable for. */
  readonly beforePdu: AskBeforePdu
  /** Default 10 s. */
  readonly promptTimeoutMs?: number
  /** Beyond this the prompt may have lapsed: ESC instead of the PDU. Default 5 s. */
  readonly beforePduLimitMs?: number
  /** Default 120 s; 300 s on Cat-M and NB-IoT. */
  readonly resultTimeoutMs?: number
  /** Default `+CMGS`. */
  readonly resultPrefix?: string
}

export type SubmissionOutcome =
  /** `duplicate`: refused with CMS 197, the service centre holds it already. The reference is missing then, or garbled. */
  | {
      readonly kind: 'accepted'
      readonly messageReference: number | undefined
      /** What the modem put behind the reference (27.005: SCTS, or the SUBMIT-REPORT in hex), as read. */
      readonly detail: string | undefined
      readonly duplicate: boolean
    }
  /** The modem said no, with a code that means no. `pduWritten` false: it did so before the PDU, provably unsent. */
  | { readonly kind: 'refused'; readonly error: CommandError; readonly pduWritten: boolean }
  /** Provably unsent: Ctrl-Z was never written. */
  | { readonly kind: 'not-sent'; readonly why: SubmissionNotSent }
  /** PDU and Ctrl-Z were written, and nothing says what became of them. */
  | { readonly kind: 'unknown'; readonly why: SubmissionUnknown; readonly error: CommandError | undefined }

export type SubmissionNotSent =
  | 'no-prompt'
  | 'before-pdu-slow'
  | 'before-pdu-aborted'
  | 'before-pdu-failed'
  | 'restarted'
  | 'cancelled'
  | 'port-lost'
  | 'out-of-step'
  | 'unwritable'

/** `ambiguous-code`: CMS 332, 500, 513, a bare ERROR, or a result that may be a line of somebody's text. `no-reference`: OK without `+CMGS:`. */
export type SubmissionUnknown = 'silence' | 'port-lost' | 'restarted' | 'ambiguous-code' | 'no-reference'

/** An answer to a submission whose outcome had already been given as unknown. */
export type LateOutcome =
  | { readonly kind: 'accepted'; readonly messageReference: number | undefined; readonly detail: string | undefined }
  | { readonly kind: 'refused'; readonly error: CommandError }

/**
 * Whether the line gives a reference. The prefix alone proves nothing: `+CMGS=19` is an echo that lost its begin, and
 * `+CMGS: (1-3)` answers another question.
 */
export function isReference(line: ResponseLine, submission: Submission): boolean {
  return line.prefix === (submission.resultPrefix ?? '+CMGS') && /^[^:]*: *"?\d/.test(line.text)
}

/** 27.005 §3.5.1: `<mr>[,<scts>]`, or `<mr>[,<ackpdu>]`. */
export function readReference(body: string): { messageReference: number | undefined; detail: string | undefined } {
  const parts = /^\s*"?(\d{1,3})"?\s*(?:,\s*(.*))?$/.exec(body)
  const reference = parts?.[1] === undefined ? undefined : Number.parseInt(parts[1], 10)
  return {
    messageReference: reference !== undefined && reference <= 255 ? reference : undefined,
    detail: parts?.[2] || undefined,
  }
}
