// Outbound path, step 15: writes the part to the modem.

import type { NotSent, Sensitivity } from '../dialogue/command.ts'
import { type CommandError, isRefusal } from '../dialogue/errors/command-error.ts'
import { controlZ, type Exchange, type ExchangeLink, escapeByte } from '../dialogue/exchange.ts'
import type { FinalResult } from '../dialogue/final-result.ts'
import type { Marker } from '../dialogue/markers.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import type { Unsolicited } from '../wire/unsolicited.ts'
import type { BeforePdu, PduDecision } from './before-pdu.ts'
import { type Doubt, type ExpectedReference, isWordOfNetwork } from './doubt.ts'
import { ResultProbe } from './result-probe.ts'
import {
  isReference,
  readReference,
  type Submission,
  type SubmissionOutcome,
  type SubmissionUnknown,
} from './submission.ts'

/**
 * Sends a PDU in two steps (27.005 §3.5.1).
 *
 * - `awaiting-prompt`: the command was written. The caller may already be asked.
 * - `asking`: the prompt has arrived, and the caller decides.
 * - `awaiting-result`: PDU and Ctrl-Z were written.
 * - `awaiting-end`: the reference was read, and the final result is expected.
 *
 * While the driver waits for the result, it may ask the modem a question (`ResultProbe`). An error after a question may
 * be the answer to that question, so after a question only an error with a network cause counts as a refusal. After a
 * delivery report, no error counts as a refusal.
 *
 * Before Ctrl-Z, every outcome means that the message is provably unsent. After Ctrl-Z, every outcome without a clear
 * result is unknown.
 */
export class SubmissionExchange implements Exchange {
  readonly text: string
  readonly sensitivity: Sensitivity = 'ordinary'
  readonly #submission: Submission
  readonly #link: ExchangeLink
  readonly #doubt: Doubt
  readonly #beforePdu: BeforePdu
  readonly #settle: (outcome: SubmissionOutcome) => void
  readonly #probe: ResultProbe | undefined
  /** An error that may concern a question or the PDU. */
  #error: CommandError | undefined
  #decision: PduDecision | undefined
  #writtenAtMs = 0
  #state: 'awaiting-prompt' | 'asking' | 'awaiting-result' | 'awaiting-end' | 'over' = 'awaiting-prompt'

  constructor(
    submission: Submission,
    link: ExchangeLink,
    doubt: Doubt,
    beforePdu: BeforePdu,
    settle: (outcome: SubmissionOutcome) => void,
  ) {
    this.text = submission.command
    this.#submission = submission
    this.#link = link
    this.#doubt = doubt
    this.#beforePdu = beforePdu
    this.#settle = settle
    this.#probe = submission.probe && new ResultProbe(submission.probe, link)
  }

  /** Questions asked during the submission; their answers may still arrive. */
  get asked(): readonly Marker[] {
    return this.#probe?.asked ?? []
  }

  start(): void {
    this.#link.deadline(this.#submission.promptTimeoutMs ?? defaultPromptTimeoutMs)
    this.#link.write(`${this.#submission.command}\r`)
    this.#writtenAtMs = this.#link.nowMs()
    if (this.#submission.asksEarly) this.#ask()
  }

  refuse(why: NotSent): void {
    this.#settle({ kind: 'not-sent', why })
  }

  prompt(): void {
    // Ignores a repeated prompt.
    if (this.#state !== 'awaiting-prompt') return
    this.#state = 'asking'
    this.#link.deadline(this.#submission.beforePduLimitMs ?? defaultBeforePduLimitMs)
    this.#submission.onPrompt?.(this.#link.nowMs() - this.#writtenAtMs)
    if (!this.#submission.asksEarly) this.#ask()
    else this.#decide()
  }

  line(line: ResponseLine): boolean {
    if (this.#state !== 'awaiting-result') return false
    if (!isReference(line)) return this.#takesBeside(line)
    const claim = this.#doubt.claims(line, this.#link.nowMs())
    if (claim === 'certainly') return false
    if (claim === 'maybe') {
      this.#unknown('ambiguous-code')
      return true
    }
    this.#state = 'awaiting-end'
    this.#link.deadline(endTimeoutMs)
    this.#settle({ kind: 'accepted', ...readReference(line.body), duplicate: false })
    return true
  }

  result(result: FinalResult): boolean {
    if (result.kind === 'call') return false
    switch (this.#state) {
      case 'awaiting-prompt':
        // Ignores OK before the prompt, which some firmware writes.
        if (result.kind === 'ok') this.#link.deadline(promptAfterOkMs)
        else this.#end({ kind: 'refused', error: result.error, pduWritten: false }, 'in-step')
        return true
      case 'asking':
        // This result is ambiguous: the prompt may still be open, and the modem would then read the next command as a
        // PDU.
        if (result.kind === 'ok') this.#abandon({ kind: 'not-sent', why: 'no-prompt' })
        else this.#abandon({ kind: 'refused', error: result.error, pduWritten: false })
        return true
      case 'awaiting-result':
        if (this.#probe?.answered) this.#unknown('answer-lost', this.#error)
        else if (result.kind === 'ok') this.#unknown('no-reference', this.#error)
        else this.#takeError(result.error)
        return true
      case 'awaiting-end':
        this.#over('in-step')
        return true
      case 'over':
        return false
    }
  }

  /** Returns true if the line looks like the result but may be a line of text. The outcome is then unknown. */
  doubtful(line: ResponseLine, result: FinalResult | undefined): boolean {
    if (this.#state === 'awaiting-end' || this.#state === 'over') return false
    if (result === undefined && this.#probe?.mayBeAnswer(line)) return true
    if (result === undefined ? !isReference(line) : result.kind === 'call') return false
    if (this.#state === 'awaiting-result') this.#unknown('ambiguous-code')
    else this.#abandon({ kind: 'not-sent', why: 'no-prompt' })
    return true
  }

  expired(): void {
    switch (this.#state) {
      case 'awaiting-prompt':
        this.#abandon({ kind: 'not-sent', why: 'no-prompt' })
        break
      case 'asking':
        this.#abandon({ kind: 'not-sent', why: 'before-pdu-slow' })
        break
      case 'awaiting-result':
        if (this.#probe?.answered) this.#unknown('answer-lost', this.#error)
        else this.#unknown(this.#error === undefined ? 'silence' : 'ambiguous-code', this.#error)
        break
      case 'awaiting-end':
      case 'over':
        this.#over('out-of-step')
    }
  }

  unsolicited(event: Unsolicited): void {
    if (this.#state !== 'awaiting-result') return
    const reference = this.#submission.referenceInReport?.(event)
    if (reference !== undefined) this.#probe?.heardReport(reference)
    else this.#probe?.heardOutput()
  }

  heardElsewhere(): void {
    if (this.#state === 'awaiting-result' && !this.#probe?.answered) this.#probe?.heardElsewhere()
  }

  reminded(): void {
    if (this.#state === 'awaiting-result' && !this.#probe?.answered) this.#probe?.ask()
  }

  restarted(): void {
    this.#interrupted('restarted')
  }

  portLost(): void {
    this.#interrupted('port-lost')
  }

  cancelled(): void {
    if (this.#state !== 'awaiting-prompt' && this.#state !== 'asking') return
    this.#abandon({ kind: 'not-sent', why: 'cancelled' })
  }

  #ask(): void {
    this.#beforePdu.ask().then((decision) =>
      this.#link.resume(() => {
        this.#decision = decision
        this.#decide()
      }),
    )
  }

  /** Continues when both the prompt and the decision have arrived. */
  #decide(): void {
    // Ignores a late decision, because the driver has already closed the prompt, and the outcome is final.
    if (this.#state !== 'asking' || this.#decision === undefined) return
    if (this.#decision !== 'go') {
      const why = this.#decision === 'abort' ? 'before-pdu-aborted' : 'before-pdu-failed'
      this.#abandon({ kind: 'not-sent', why })
      return
    }
    this.#state = 'awaiting-result'
    this.#doubt.forget()
    this.#link.deadline(this.#submission.resultTimeoutMs ?? defaultResultTimeoutMs)
    this.#link.write(this.#submission.pdu + controlZ)
    this.#submission.onPdu?.()
    this.#probe?.begin()
  }

  /**
   * Handles a line that is not the reference. Returns true if the line answers a question; otherwise it is unsolicited.
   */
  #takesBeside(line: ResponseLine): boolean {
    if (this.#probe?.answered) return this.#probe.mayBeAnswer(line)
    if (!this.#probe?.takes(line)) {
      this.#probe?.heardOutput()
      return false
    }
    this.#link.deadline(endTimeoutMs)
    return true
  }

  #interrupted(why: 'restarted' | 'port-lost'): void {
    switch (this.#state) {
      case 'awaiting-prompt':
      case 'asking':
        this.#end({ kind: 'not-sent', why }, 'out-of-step')
        break
      case 'awaiting-result':
        this.#unknown(why)
        break
      case 'awaiting-end':
      case 'over':
        this.#over('out-of-step')
    }
  }

  /**
   * Ends the submission without sending: ESC closes the prompt, and the resynchronisation proves that the prompt is
   * closed.
   */
  #abandon(outcome: SubmissionOutcome): void {
    this.#link.write(escapeByte)
    this.#end(outcome, 'out-of-step')
  }

  /** Handles an error after Ctrl-Z, which may be the answer to a question about the result. */
  #takeError(error: CommandError): void {
    const isOfPdu = this.asked.length === 0 || isWordOfNetwork(error)
    if (error.class === 'duplicate' || (isOfPdu && this.#probe?.reportedReference === undefined)) {
      this.#endWithError(error)
    } else if (isOfPdu) {
      this.#unknown('ambiguous-code', error)
    } else {
      // Waits, because a busy modem refuses the question, and the result of the submission may still arrive.
      this.#error ??= error
      this.#probe?.askWithin(askAgainMs)
    }
  }

  /** Handles an error after Ctrl-Z that concerns the PDU. */
  #endWithError(error: CommandError): void {
    if (error.class === 'duplicate') {
      this.#end({ kind: 'accepted', messageReference: undefined, detail: undefined, duplicate: true }, 'in-step')
    } else if (isRefusal(error)) {
      this.#end({ kind: 'refused', error, pduWritten: true }, 'in-step')
    } else {
      // The error may not belong to the submission. In that case, the result of the submission may still arrive.
      this.#unknown('ambiguous-code', error)
    }
  }

  #unknown(why: SubmissionUnknown, error?: CommandError): void {
    this.#doubt.remember(this.#submission, why, why === 'answer-lost' ? this.#expectedReference() : undefined)
    this.#end({ kind: 'unknown', why, error }, 'out-of-step')
  }

  #expectedReference(): ExpectedReference | undefined {
    const { nextReference, resultTimeoutMs = defaultResultTimeoutMs } = this.#submission
    const reported = this.#probe?.reportedReference
    const value = reported ?? nextReference
    const untilMs = (this.#probe?.beganAtMs ?? 0) + resultTimeoutMs
    return value === undefined ? undefined : { value, isCertain: reported !== undefined, untilMs }
  }

  #end(outcome: SubmissionOutcome, next: 'in-step' | 'out-of-step'): void {
    this.#settle(outcome)
    this.#over(next)
  }

  #over(next: 'in-step' | 'out-of-step'): void {
    this.#state = 'over'
    this.#link.done(this.asked.length > 0 ? 'out-of-step' : next)
  }
}

const defaultPromptTimeoutMs = 10_000
const promptAfterOkMs = 2_000
const defaultBeforePduLimitMs = 5_000
// The timer TR1M of 24.011 runs for up to 45 s, and firmware repeats the attempt once, so modem manuals state 60 to 120
// s.
const defaultResultTimeoutMs = 120_000
const endTimeoutMs = 5_000
const askAgainMs = 2_500
