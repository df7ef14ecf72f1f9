import type { BeforePdu } from './before-pdu.ts'
import type { NotSent, Sensitivity } from './command.ts'
import { type CommandError, isRefusal } from './command-error.ts'
import type { Doubt } from './doubt.ts'
import { controlZ, type Exchange, type ExchangeLink, escapeByte } from './exchange.ts'
import type { FinalResult } from './final-result.ts'
import type { ResponseLine } from './response-line.ts'
import {
  isReference,
  readReference,
  type Submission,
  type SubmissionOutcome,
  type SubmissionUnknown,
} from './submission.ts'

/**
 * A PDU in two steps (27.005 §3.5.1).
 *
 * `awaiting-prompt` the command is written → `asking` the prompt is there, the caller decides → `awaiting-result` PDU
 * and Ctrl-Z are written → `awaiting-end` the reference was read, the final result is due.
 *
 * Ctrl-Z is the watershed: before it every end is provably unsent, after it everything but a clear word is unknown.
 */
export class SubmissionExchange implements Exchange {
  readonly text: string
  readonly sensitivity: Sensitivity = 'ordinary'
  readonly #submission: Submission
  readonly #link: ExchangeLink
  readonly #doubt: Doubt
  readonly #beforePdu: BeforePdu
  readonly #settle: (outcome: SubmissionOutcome) => void
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
  }

  start(): void {
    this.#link.deadline(this.#submission.promptTimeoutMs ?? defaultPromptTimeoutMs)
    this.#link.write(`${this.#submission.command}\r`)
  }

  refuse(why: NotSent): void {
    this.#settle({ kind: 'not-sent', why })
  }

  prompt(): void {
    // A prompt that repeats itself asks nothing new.
    if (this.#state !== 'awaiting-prompt') return
    this.#state = 'asking'
    this.#link.deadline(this.#submission.beforePduLimitMs ?? defaultBeforePduLimitMs)
    this.#beforePdu.ask().then((verdict) => this.#link.resume(() => this.#decide(verdict)))
  }

  line(line: ResponseLine): boolean {
    if (this.#state !== 'awaiting-result' || !isReference(line, this.#submission)) return false
    this.#state = 'awaiting-end'
    this.#link.deadline(endTimeoutMs)
    this.#settle({ kind: 'accepted', ...readReference(line.body), duplicate: false })
    return true
  }

  result(result: FinalResult): boolean {
    if (result.kind === 'call') return false
    switch (this.#state) {
      case 'awaiting-prompt':
        if (result.kind === 'ok') this.#abandon({ kind: 'not-sent', why: 'no-prompt' })
        else this.#end({ kind: 'refused', error: result.error, pduWritten: false }, 'in-step')
        return true
      case 'asking':
        // Whose word it is nobody knows: the prompt may still be open, and would swallow the next command.
        if (result.kind === 'ok') this.#abandon({ kind: 'not-sent', why: 'no-prompt' })
        else this.#abandon({ kind: 'refused', error: result.error, pduWritten: false })
        return true
      case 'awaiting-result':
        if (result.kind === 'ok') this.#unknown('no-reference')
        else this.#endWithError(result.error)
        return true
      case 'awaiting-end':
        this.#over('in-step')
        return true
      case 'over':
        return false
    }
  }

  /** True when the line would be its result, and may as well be somebody's text: then nobody knows. */
  doubtful(line: ResponseLine, result: FinalResult | undefined): boolean {
    if (this.#state === 'awaiting-end' || this.#state === 'over') return false
    if (result === undefined ? !isReference(line, this.#submission) : result.kind === 'call') return false
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
        this.#unknown('silence')
        break
      case 'awaiting-end':
      case 'over':
        this.#over('out-of-step')
    }
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

  #decide(verdict: 'go' | 'abort' | 'failed'): void {
    // Decided too late: the prompt has been given up, and that was the outcome.
    if (this.#state !== 'asking') return
    if (verdict !== 'go') {
      this.#abandon({ kind: 'not-sent', why: verdict === 'abort' ? 'before-pdu-aborted' : 'before-pdu-failed' })
      return
    }
    this.#state = 'awaiting-result'
    this.#doubt.forget()
    this.#link.deadline(this.#submission.resultTimeoutMs ?? defaultResultTimeoutMs)
    this.#link.write(this.#submission.pdu + controlZ)
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

  /** Unsent: ESC takes the modem out of its prompt, and getting in step proves that it left it. */
  #abandon(outcome: SubmissionOutcome): void {
    this.#link.write(escapeByte)
    this.#end(outcome, 'out-of-step')
  }

  /** An error that comes after Ctrl-Z. */
  #endWithError(error: CommandError): void {
    if (error.class === 'duplicate') {
      this.#end({ kind: 'accepted', messageReference: undefined, detail: undefined, duplicate: true }, 'in-step')
    } else if (isRefusal(error)) {
      this.#end({ kind: 'refused', error, pduWritten: true }, 'in-step')
    } else {
      // It may be the word about something else, with the result and its OK still to come.
      this.#unknown('ambiguous-code', error)
    }
  }

  #unknown(why: SubmissionUnknown, error?: CommandError): void {
    this.#doubt.remember(this.#submission, why)
    this.#end({ kind: 'unknown', why, error }, 'out-of-step')
  }

  #end(outcome: SubmissionOutcome, next: 'in-step' | 'out-of-step'): void {
    this.#settle(outcome)
    this.#over(next)
  }

  #over(next: 'in-step' | 'out-of-step'): void {
    this.#state = 'over'
    this.#link.done(next)
  }
}

const defaultPromptTimeoutMs = 10_000
const defaultBeforePduLimitMs = 5_000
// TR1M of 24.011 is up to 45 s, firmware repeats once: modem manuals say 60 to 120 s.
const defaultResultTimeoutMs = 120_000
const endTimeoutMs = 5_000
