import { type CommandError, isRefusal } from './command-error.ts'
import type { FinalResult } from './final-result.ts'
import type { ResponseLine } from './response-line.ts'
import { isReference, type LateOutcome, readReference, type Submission, type SubmissionUnknown } from './submission.ts'

export interface LateResult {
  readonly kind: 'late-result'
  readonly submission: string
  readonly outcome: LateOutcome
}

/**
 * The last submission whose outcome had to be given as unknown, in case the modem answers it yet. From the moment that
 * the next PDU is written, a reference that comes is that one's, so the doubt about the former stays for good.
 */
export class Doubt {
  #submission: Submission | undefined
  #refusalMayCome = false

  remember(submission: Submission, why: SubmissionUnknown): void {
    this.#submission = submission
    this.#refusalMayCome = why === 'silence' || why === 'ambiguous-code'
  }

  forget(): void {
    this.#submission = undefined
  }

  get open(): boolean {
    return this.#submission !== undefined
  }

  /** Whether the line would be the late result. */
  speaksOf(line: ResponseLine, result: FinalResult | undefined): boolean {
    if (this.#submission === undefined) return false
    return result?.kind === 'error' ? isWordOfNetwork(result.error) : isReference(line, this.#submission)
  }

  lateReference(line: ResponseLine): LateResult | undefined {
    const submission = this.#submission
    if (submission === undefined || !isReference(line, submission)) return undefined
    this.#submission = undefined
    return late(submission, { kind: 'accepted', ...readReference(line.body) })
  }

  /**
   * An error before the first OK, read while getting in step: if it is the network's own word, it is that of the PDU,
   * for neither ESC nor AT nor the questions go there. A modem that is busy with the PDU answers those with a +CMS ERROR
   * of its own (301, 302, 314, 515), which says nothing about the PDU. A reference that comes after all has the last word.
   */
  lateRefusal(result: FinalResult, gettingInStep: boolean): LateResult | undefined {
    const submission = this.#submission
    if (submission === undefined || !this.#refusalMayCome || result.kind === 'call') return undefined
    if (result.kind === 'error' && gettingInStep && !isWordOfNetwork(result.error)) return undefined
    this.#refusalMayCome = false
    if (!gettingInStep || result.kind === 'ok') return undefined
    return late(submission, { kind: 'refused', error: result.error })
  }
}

function late(submission: Submission, outcome: LateOutcome): LateResult {
  return { kind: 'late-result', submission: submission.id, outcome }
}

/** 27.005 §3.2.5: below 128 the causes of 24.011, below 256 those of 23.040; from 300 on the modem's own. */
function isWordOfNetwork(error: CommandError): boolean {
  return error.source === 'cms' && error.code !== undefined && error.code < 256 && isRefusal(error)
}
