import type { Doubt, LateResult } from '../send/doubt.ts'
import { SubmissionExchange } from '../send/submission-exchange.ts'
import { parseParameters } from '../wire/at-parameters.ts'
import { isHexadecimal } from '../wire/line-assembler.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import type { Unsolicited, UnsolicitedForm, UnsolicitedTable } from '../wire/unsolicited.ts'
import { controlZ, type Exchange } from './exchange.ts'
import { type FinalResult, readFinalResult, readNumericResult } from './final-result.ts'
import { Resynchronisation } from './resynchronisation.ts'

/** Classifies each line, in this order: final result, echo, answer, unsolicited code. */
export class LineRouting {
  readonly #table: UnsolicitedTable
  readonly #doubt: Doubt
  readonly #inFlight: () => Exchange | undefined
  readonly #onNews: (news: LineEvent) => void
  /** The latest command lines, used to recognise their echoes. */
  readonly #written: string[] = []
  /** The latest PDU; empty after the next command line. */
  #writtenPdu = ''
  #numericResults = false
  /** True if this modem writes OK directly after the last line of an answer. */
  #gluesOk = false
  /** True if the previous line was a late reference. The next OK then belongs to that reference. */
  #behindLate = false
  /** The number of echoed lines. */
  echoes = 0

  constructor(
    table: UnsolicitedTable,
    doubt: Doubt,
    inFlight: () => Exchange | undefined,
    onNews: (news: LineEvent) => void,
  ) {
    this.#table = table
    this.#doubt = doubt
    this.#inFlight = inFlight
    this.#onNews = onNews
  }

  /** Must be called for everything that is written. */
  wrote(text: string): void {
    if (text.endsWith(controlZ)) this.#writtenPdu = text.slice(0, -1).toUpperCase()
    if (!text.endsWith('\r')) return
    this.#writtenPdu = ''
    this.#written.push(text.slice(0, -1).replace('\x1b', '').toUpperCase())
    if (this.#written.length > echoesKnown) this.#written.shift()
  }

  /**
   * True if the driver's last output was a PDU whose result has not arrived. Before the result, a modem with echo
   * enabled returns the digits of the PDU, possibly in several lines.
   */
  get pduMayEcho(): boolean {
    return this.#writtenPdu !== '' && this.resultDue
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
    const behindLate = this.#behindLate
    this.#behindLate = false
    if (behindLate && result?.kind === 'ok') {
      this.#onNews({ kind: 'stale', text: line.text })
      return
    }
    if (mayBeText && this.#isDoubtful(line, result)) return
    if (result !== undefined && this.#takeResult(line, result)) return
    if (line.prefix === '' && (this.#written.includes(line.text.toUpperCase()) || this.isEchoOfPdu(line.text))) {
      this.echoes += 1
      return
    }
    if (this.#takeGlued(line, form) || this.#inFlight()?.line(line, form)) return
    this.#report(line, form)
  }

  /**
   * Some modems write OK directly after the last line of an answer (`+CMEE: 1OK`). This is detected only during
   * resynchronisation, because the real answers to its questions never end with the letters OK. Other answers may end
   * with OK, for example an answer that contains a message text.
   */
  #takeGlued(line: ResponseLine, form: UnsolicitedForm | undefined): boolean {
    const exchange = this.#inFlight()
    const glued = this.#gluesOk ? gluedOk : this.#gettingInStep ? gluedOkOfMarker : undefined
    if (!glued?.test(line.text)) return false
    const unglued = { ...line, text: line.text.slice(0, -2).trimEnd(), body: line.body.slice(0, -2).trimEnd() }
    if (!exchange?.line(unglued, form)) return false
    this.#gluesOk = true
    if (this.#inFlight() === exchange) exchange.result({ kind: 'ok' })
    return true
  }

  /** Accepts a line back from an exchange, because the line is unsolicited. */
  giveBack(line: ResponseLine): void {
    this.#report(line, this.#table.find(line))
  }

  /** Ignores a submission result that may be a line of text. */
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
    // ATV0 (V.250 §6.2.6) is detected only during resynchronisation. Until then, a lone digit is not a result.
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
      this.#behindLate = !this.#gettingInStep
      this.#onNews(late)
    } else if (form === undefined) {
      this.#onNews({ kind: this.#gettingInStep ? 'stale' : 'unknown', text: line.text })
    } else if (form.isUnsolicited && !form.isUnsolicited(parseParameters(line.body))) {
      // The answer to a command that had timed out.
      this.#onNews({ kind: 'stale', text: line.text })
    } else {
      this.#onNews({ ...line, kind: 'unsolicited', form })
    }
  }

  get #gettingInStep(): boolean {
    return this.#inFlight() instanceof Resynchronisation
  }
}

/** A line that belongs to no answer. */
export type LineEvent =
  | Unsolicited
  /** A line that no command requested and no table lists. */
  | { readonly kind: 'unknown'; readonly text: string }
  /** An answer or a final result whose command had already timed out. */
  | { readonly kind: 'stale'; readonly text: string }
  /** The result of a submission whose outcome was reported as unknown. */
  | LateResult

const echoesKnown = 4
const gluedOk = /\SOK$/
// The answers to markers contain numbers, quoted names and lists.
const gluedOkOfMarker = /[\d")]OK$/
