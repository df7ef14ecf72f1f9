import { parseParameters } from './at-parameters.ts'
import type { Doubt, LateResult } from './doubt.ts'
import { controlZ, type Exchange } from './exchange.ts'
import { type FinalResult, readFinalResult, readNumericResult } from './final-result.ts'
import { isHexadecimal } from './line-assembler.ts'
import type { ResponseLine } from './response-line.ts'
import { Resynchronisation } from './resynchronisation.ts'
import { SubmissionExchange } from './submission-exchange.ts'
import type { Unsolicited, UnsolicitedForm, UnsolicitedTable } from './unsolicited.ts'

/** Where a line belongs: final result, echo, answer, unsolicited code; in this order. */
export class LineRouting {
  readonly #table: UnsolicitedTable
  readonly #doubt: Doubt
  readonly #inFlight: () => Exchange | undefined
  readonly #onNews: (news: LineNews) => void
  /** Command lines written last, to know their echoes by. */
  readonly #written: string[] = []
  /** The PDU written last, until a command line follows it; empty when there is none. */
  #writtenPdu = ''
  #numericResults = false

  constructor(
    table: UnsolicitedTable,
    doubt: Doubt,
    inFlight: () => Exchange | undefined,
    onNews: (news: LineNews) => void,
  ) {
    this.#table = table
    this.#doubt = doubt
    this.#inFlight = inFlight
    this.#onNews = onNews
  }

  /** Told of all that is written. */
  wrote(text: string): void {
    if (text.endsWith(controlZ)) this.#writtenPdu = text.slice(0, -1).toUpperCase()
    if (!text.endsWith('\r')) return
    this.#writtenPdu = ''
    this.#written.push(text.slice(0, -1).replace('\x1b', '').toUpperCase())
    if (this.#written.length > echoesKnown) this.#written.shift()
  }

  /** Whether a PDU was written last: with echo on its digits come back, in pieces when news stands between them. */
  get pduMayEcho(): boolean {
    return this.#writtenPdu !== ''
  }

  get resultDue(): boolean {
    return this.#doubt.open || this.#inFlight() instanceof SubmissionExchange
  }

  isEchoOfPdu(text: string): boolean {
    return this.#writtenPdu !== '' && isHexadecimal(text) && this.#writtenPdu.includes(text.toUpperCase())
  }

  route(line: ResponseLine, form: UnsolicitedForm | undefined, mayBeText: boolean): void {
    if (form?.restart === 'certain') {
      this.#report(line, form)
      this.#inFlight()?.restarted()
      return
    }
    const result = this.#resultIn(line)
    if (mayBeText && this.#isDoubtful(line, result)) return
    if (result !== undefined && this.#takeResult(line, result)) return
    if (line.prefix === '' && (this.#written.includes(line.text.toUpperCase()) || this.isEchoOfPdu(line.text))) return
    if (this.#inFlight()?.line(line, form)) return
    this.#report(line, form)
  }

  /** A line that an exchange had taken and that turned out to be news. */
  giveBack(line: ResponseLine): void {
    this.#report(line, this.#table.find(line))
  }

  /** A result of a submission that may be somebody's text is none. */
  #isDoubtful(line: ResponseLine, result: FinalResult | undefined): boolean {
    const exchange = this.#inFlight()
    const doubtful = exchange instanceof SubmissionExchange && exchange.doubtful(line, result)
    if (!doubtful && !this.#doubt.speaksOf(line, result)) return false
    this.#onNews({ kind: 'stale', text: line.text })
    return true
  }

  #resultIn(line: ResponseLine): FinalResult | undefined {
    const result = readFinalResult(line.text)
    if (result) {
      if (result.kind === 'ok') this.#numericResults = false
      return result
    }
    // ATV0 (V.250 §6.2.6) is found out while getting in step: to a modem that speaks words a digit alone is no result.
    const numeric = readNumericResult(line.text)
    if (this.#gettingInStep && numeric?.kind === 'ok') this.#numericResults = true
    return this.#numericResults ? numeric : undefined
  }

  #takeResult(line: ResponseLine, result: FinalResult): boolean {
    const late = this.#doubt.lateRefusal(result, this.#gettingInStep)
    if (late) this.#onNews(late)
    if (this.#inFlight()?.result(result)) return true
    if (result.kind === 'call') return false
    this.#onNews({ kind: 'stale', text: line.text })
    return true
  }

  #report(line: ResponseLine, form: UnsolicitedForm | undefined): void {
    const late = this.#doubt.lateReference(line)
    if (late) {
      this.#onNews(late)
    } else if (form === undefined) {
      this.#onNews({ kind: this.#gettingInStep ? 'stale' : 'unknown', text: line.text })
    } else if (form.isUnsolicited && !form.isUnsolicited(parseParameters(line.body))) {
      // The answer of a command that was given up.
      this.#onNews({ kind: 'stale', text: line.text })
    } else {
      this.#onNews({ ...line, kind: 'unsolicited', form })
    }
  }

  get #gettingInStep(): boolean {
    return this.#inFlight() instanceof Resynchronisation
  }
}

/** What is in a line that is no part of an answer. */
export type LineNews =
  | Unsolicited
  /** A line that nobody asked for and no table knows. */
  | { readonly kind: 'unknown'; readonly text: string }
  /** An answer, or a final result, whose command had already been given up. */
  | { readonly kind: 'stale'; readonly text: string }
  /** What became of a submission whose outcome had been given as unknown. */
  | LateResult

const echoesKnown = 4
