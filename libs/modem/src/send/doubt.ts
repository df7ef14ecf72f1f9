import { type CommandError, isRefusal } from '../dialogue/errors/command-error.ts'
import type { FinalResult } from '../dialogue/final-result.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import { isReference, type LateOutcome, readReference, type Submission, type SubmissionUnknown } from './submission.ts'

export interface LateResult {
  readonly kind: 'late-result'
  readonly submission: string
  readonly outcome: LateOutcome
}

/**
 * The last submission with an unknown outcome, stored because its result may still arrive. After the next PDU is
 * written, a reference belongs to that PDU, and the outcome of the earlier submission stays unknown.
 *
 * There is one exception. The driver may end a submission before its timeout, because it assumes that the modem
 * processes commands in order and will send no more result for this submission. If this is wrong, the reference of the
 * ended submission may still arrive, even after the next PDU. The driver then does not take it as the reference of the
 * next submission.
 */
export class Doubt {
  #submission: Submission | undefined
  #refusalMayCome = false
  #reference: ExpectedReference | undefined
  readonly #formers: Former[] = []

  remember(submission: Submission, why: SubmissionUnknown, reference?: ExpectedReference): void {
    this.#submission = submission
    this.#reference = reference
    this.#refusalMayCome = why === 'silence' || why === 'answer-lost' || why === 'ambiguous-code'
  }

  /** Must be called when the next PDU is written. */
  forget(): void {
    if (this.#submission && this.#reference) {
      this.#formers.push({ submission: this.#submission, reference: this.#reference })
    }
    this.#submission = undefined
  }

  /** Returns how certainly the reference belongs to an earlier submission. */
  claims(line: ResponseLine, nowMs: number): 'certainly' | 'maybe' | 'no' {
    const soonest = this.#formers.findIndex(({ reference }) => reference.untilMs > nowMs)
    this.#formers.splice(0, soonest < 0 ? this.#formers.length : soonest)
    const former = this.#formerOf(line)
    if (former === undefined) return 'no'
    return former.reference.isCertain ? 'certainly' : 'maybe'
  }

  get open(): boolean {
    return this.#submission !== undefined
  }

  /** Returns true if the line may be the late result. */
  speaksOf(line: ResponseLine, result: FinalResult | undefined): boolean {
    if (this.#submission === undefined) return false
    return result?.kind === 'error' ? isWordOfNetwork(result.error) : isReference(line)
  }

  lateReference(line: ResponseLine): LateResult | undefined {
    const former = this.#formerOf(line)
    if (former?.reference.isCertain) {
      this.#formers.splice(this.#formers.indexOf(former), 1)
      return late(former.submission, { kind: 'accepted', ...readReference(line.body) })
    }
    const submission = this.#submission
    if (submission === undefined || !isReference(line)) return undefined
    this.#submission = undefined
    return late(submission, { kind: 'accepted', ...readReference(line.body) })
  }

  /**
   * Reads an error that arrives before the first OK during resynchronisation. An error with a network cause concerns
   * the PDU, because ESC, AT and the questions do not reach the network. A modem that is still processing the PDU
   * answers these commands with its own +CMS ERROR (301, 302, 314, 515), which is not a result of the PDU. A reference
   * that arrives later overrides the error.
   */
  lateRefusal(result: FinalResult, gettingInStep: boolean): LateResult | undefined {
    const submission = this.#submission
    if (submission === undefined || !this.#refusalMayCome || result.kind === 'call') return undefined
    if (result.kind === 'error' && gettingInStep && !isWordOfNetwork(result.error)) return undefined
    this.#refusalMayCome = false
    if (!gettingInStep || result.kind === 'ok') return undefined
    return late(submission, { kind: 'refused', error: result.error })
  }

  #formerOf(line: ResponseLine): Former | undefined {
    const { messageReference } = readReference(line.body)
    if (!isReference(line)) return undefined
    return this.#formers.find(({ reference }) => reference.value === messageReference)
  }
}

export interface ExpectedReference {
  readonly value: number
  /** True if the reference is from a report, false if it is derived from the last reference. */
  readonly isCertain: boolean
  /** The time at which the submission would have timed out if it had not been ended early. */
  readonly untilMs: number
}

interface Former {
  readonly submission: Submission
  readonly reference: ExpectedReference
}

function late(submission: Submission, outcome: LateOutcome): LateResult {
  return { kind: 'late-result', submission: submission.id, outcome }
}

/**
 * Codes below 128 are causes of 24.011 and codes below 256 causes of 23.040, both from the network; codes from 300 on
 * are from the modem itself (27.005 §3.2.5).
 */
export function isWordOfNetwork(error: CommandError): boolean {
  return error.source === 'cms' && error.code !== undefined && error.code < 256 && isRefusal(error)
}
