import type { LateOutcome } from '../src/send/submission.ts'
import type { SubmitOutcome } from '../src/send/submit.ts'

/** One call that the owner makes to the driver, and the result. */
export interface DriverCall {
  readonly what: string
  readonly atMs: number
  /** The number of calls of the same kind that were still open when this call began. */
  readonly ahead: number
  endedAtMs: number | undefined
  failure: unknown
}

export interface SubmitCall extends DriverCall {
  readonly text: string
  /** True if the hook has returned `go`, so that the message may be sent. */
  committed: boolean
  outcome: SubmitOutcome | undefined
  /** True if the result arrived in the middle of lines that may be a text from the network. */
  mayBeText: boolean
  /** The outcomes passed to `afterResult`. */
  readonly results: SubmitOutcome[]
  readonly late: LateOutcome[]
}
