import type { CommandError } from '../dialogue/errors/command-error.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import type { Unsolicited } from '../wire/unsolicited.ts'
import type { AskBeforePdu } from './before-pdu.ts'
import type { ProbeTraits } from './result-probe.ts'

/** One PDU to send in two steps (27.005 §3.5.1): `AT+CMGS=<length>`, the prompt, PDU and Ctrl-Z. */
export interface Submission {
  /** The caller's id of the submission, which a late result contains. */
  readonly id: string
  /** The command line without the final CR: `AT+CMGS=24`. */
  readonly command: string
  /** Service centre address and TPDU in hexadecimal digits. */
  readonly pdu: string
  /**
   * Called when the prompt has arrived, before a byte of the PDU is written. The message is sent only if the result is
   * `go`.
   */
  readonly beforePdu: AskBeforePdu
  /** True if `beforePdu` is called when the command is written, so that it runs while the modem prepares its prompt. */
  readonly asksEarly?: boolean
  /** Called when the prompt has arrived, with the time since the command was written. */
  readonly onPrompt?: (tookMs: number) => void
  /** Called when PDU and Ctrl-Z were written. */
  readonly onPdu?: () => void
  /** Default 10 s. */
  readonly promptTimeoutMs?: number
  /**
   * The time limit of `beforePdu`. After this time the modem may have closed the prompt, so ESC is written instead of
   * the PDU. Default 5 s.
   */
  readonly beforePduLimitMs?: number
  /** How long to wait for the result. Default 120 s; profiles set 300 s for Cat-M and NB-IoT modems. */
  readonly resultTimeoutMs?: number
  /**
   * Returns the reference in a status report if the report proves that the network has this message. By default, no
   * report is a proof.
   */
  readonly referenceInReport?: (news: Unsolicited) => number | undefined
  /** The expected reference, derived from the last references. */
  readonly nextReference?: number | undefined
  /** When to ask the modem about a missing result. Default: no question before the timeout. */
  readonly probe?: ProbeTraits | undefined
}

export type SubmissionOutcome =
  /**
   * `duplicate`: refused with CMS 197, because the service centre already has the message. In that case the reference
   * is missing or invalid.
   */
  | {
      readonly kind: 'accepted'
      readonly messageReference: number | undefined
      /** The text after the reference (27.005: SCTS, or the SUBMIT-REPORT in hexadecimal digits), unchanged. */
      readonly detail: string | undefined
      readonly duplicate: boolean
    }
  /**
   * The modem refused with an unambiguous code. If `pduWritten` is false, the modem refused before the PDU was written,
   * so the message is provably unsent.
   */
  | { readonly kind: 'refused'; readonly error: CommandError; readonly pduWritten: boolean }
  /** Provably unsent: Ctrl-Z was never written. */
  | { readonly kind: 'not-sent'; readonly why: SubmissionNotSent }
  /** PDU and Ctrl-Z were written, and no result is known. */
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

/**
 * `answer-lost`: the modem has finished the submission, but its answer never arrived.
 * `ambiguous-code`: CMS 332, 500, 513, a bare ERROR, or a result that may be a line of text.
 * `no-reference`: OK without `+CMGS:`.
 */
export type SubmissionUnknown =
  | 'silence'
  | 'answer-lost'
  | 'port-lost'
  | 'restarted'
  | 'ambiguous-code'
  | 'no-reference'

/** The result of a submission whose outcome was reported as unknown. */
export type LateOutcome =
  | { readonly kind: 'accepted'; readonly messageReference: number | undefined; readonly detail: string | undefined }
  | { readonly kind: 'refused'; readonly error: CommandError }

/**
 * Returns true if the line contains a reference. The prefix alone is not sufficient: `+CMGS=19` is a truncated echo,
 * and `+CMGS: (1-3)` answers a test command.
 */
export function isReference(line: ResponseLine): boolean {
  return line.prefix === '+CMGS' && /^[^:]*: *"?\d/.test(line.text)
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
